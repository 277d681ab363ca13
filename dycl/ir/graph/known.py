"""Numbers that are known before a run: what the sizes of its arguments decide."""

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.host.types import NUMBERS


@irdl_op_definition
class KnownOp(IRDLOperation, metaclass=ByType):
    """A slot that holds a number which is known before a run."""

    name = "graph.known"
    value = operand_def()
    result = result_def(MemRefType)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue):
        super().__init__(operands=[value], result_types=[MemRefType(value.type, [])])

    def verify_(self) -> None:
        slot = self.result.type
        assert isinstance(slot, MemRefType)
        if slot.element_type != self.value.type or self.value.type not in NUMBERS:
            raise VerifyException(f"{slot} does not hold {self.value.type}")
