"""The host function, and how it returns."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType
from dycl.ir.dialect.ends import UnreachableOp
from dycl.ir.dialect.syntax import parse_region, print_function


@irdl_op_definition
class FuncOp(IRDLOperation, metaclass=ByType):
    """The host function of a model; `params` are the names of its arguments.

    Its block arguments are the inputs; it returns by `dycl.return`, at any depth.
    """

    name = "host.func"
    sym_name = prop_def(StringAttr)
    params = prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        params: Sequence[str],
        body: Region,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "params": ArrayAttr(StringAttr(p) for p in params),
            },
            regions=[body],
        )

    @property
    def param_names(self) -> tuple[str, ...]:
        """The names of the arguments, as the user wrote them."""
        return tuple(p.data for p in self.params)

    def print(self, printer: Printer) -> None:
        print_function(printer, self.sym_name, self.params, self.attributes, self.body)

    @classmethod
    def parse(cls, parser: Parser) -> "FuncOp":
        symbol = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _parse_argument(parser)
        )
        parser.parse_keyword("params")
        params = parser.parse_attribute()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.create(
            properties={"sym_name": symbol, "params": params},
            attributes={} if attributes is None else attributes.data,
            regions=[parse_region(parser, UnreachableOp, arguments)],
        )

    def verify_(self) -> None:
        arguments = self.body.block.args
        if len(self.params) != len(arguments):
            raise VerifyException(
                f"host.func names {len(self.params)} params for "
                f"{len(arguments)} arguments"
            )
        last = self.body.block.last_op
        if last is None or not last.has_trait(IsTerminator):
            raise VerifyException("the body of host.func must end in dycl.return")


def _parse_argument(parser: Parser) -> Parser.Argument:
    argument = parser.parse_argument()
    argument.location = parser.parse_optional_location()
    return argument
