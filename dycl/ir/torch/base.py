"""What all types and all operations of the torch dialect share."""

from abc import ABC

from xdsl.ir import ParametrizedAttribute, TypeAttribute
from xdsl.irdl import IRDLOperation

from dycl.ir.classes import ByType


class TorchType(ParametrizedAttribute, TypeAttribute, ABC, metaclass=ByType):
    """Any type of the torch dialect."""


class TorchOp(IRDLOperation, metaclass=ByType):
    """Any operation of the torch dialect."""
