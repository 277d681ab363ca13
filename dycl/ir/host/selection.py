"""Which of several is meant: the host finds where a key stands."""

from xdsl.dialects.builtin import LocationAttr, StringAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.selection import parse_position, print_position
from dycl.ir.dialect.syntax import ValueOp
from dycl.ir.host.types import SCALARS
from dycl.ir.values import from_attr


@irdl_op_definition
class PositionOp(ValueOp):
    """`dycl.position` on a number or a text of the host.

    Not Pure: it raises, so it stays where the user wrote it.
    """

    name = "host.position"
    key = operand_def()
    keys = prop_def()
    error = prop_def(StringAttr)
    result = result_def(i64)

    def __init__(
        self, key: SSAValue, keys: Attribute, error: str, *, location: LocationAttr
    ):
        super().__init__(
            operands=[key],
            properties={"keys": keys, "error": StringAttr(error)},
            result_types=[i64],
        )
        self.location = location

    @property
    def known_keys(self) -> object:
        """The length of a sequence, or the tuple of a dict's keys."""
        return from_attr(self.keys)

    def print_body(self, printer: Printer) -> None:
        print_position(printer, self.key, self.keys, self.error)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        return parse_position(parser, properties)

    def verify_(self) -> None:
        if self.key.type not in SCALARS:
            raise VerifyException(f"host.position finds scalars, not {self.key.type}")
        if type(self.known_keys) not in (int, tuple):
            raise VerifyException("the keys are a length or a tuple")
