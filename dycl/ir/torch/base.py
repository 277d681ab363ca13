"""What all types and all operations of the torch dialect share."""

from abc import ABC

from xdsl.ir import ParametrizedAttribute, TypeAttribute
from xdsl.irdl import IRDLOperation


class TorchType(ParametrizedAttribute, TypeAttribute, ABC):
    """Any type of the torch dialect."""


class TorchOp(IRDLOperation):
    """Any operation of the torch dialect."""
