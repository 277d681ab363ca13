"""Functions that stay functions: what a recursion that the data ends is compiled to.

A `dycl.local_function` stands in the function that is compiled, in front of all that
calls it. It is closed: apart from parameters and constants it uses only what it is
given.
"""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from dycl.ir.dialect.ends import EndOp, UnreachableOp, verify_types
from dycl.ir.dialect.syntax import (
    VALUE,
    RunsOnHost,
    ValueOp,
    parse_operand_list,
    parse_region,
    print_operand_list,
)
from dycl.ir.interfaces import RegionBranchOp
from dycl.ir.walking import walk

MAX_DEPTH = "max_depth"
"""Attribute of a local function: how many calls of such may be open at once."""
LISTS = "lists"
"""Attribute of a local function: the parameters that are lists which it adds to."""
RETURNED = "returned"
"""Attribute of a local function: it gives those lists back, behind other results."""


@irdl_op_definition
class LocalFunctionOp(RegionBranchOp):
    """A function with a label, which `dycl.local_call` runs and whose body may do so.

    It returns by `dycl.local_return`, at any depth. Attribute: `max_depth`.
    """

    name = "dycl.local_function"
    label = prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(RunsOnHost())

    def __init__(self, label: str, body: Region):
        super().__init__(properties={"label": StringAttr(label)}, regions=[body])

    @property
    def max_depth(self) -> int | None:
        """How many calls of local functions may be open at once; None: any number."""
        depth = self.attributes.get(MAX_DEPTH)
        return depth.value.data if isinstance(depth, IntegerAttr) else None

    @property
    def lists(self) -> Sequence[int]:
        """The parameters that are lists which it adds to, by number."""
        lists = self.attributes.get(LISTS)
        return lists.get_values() if isinstance(lists, DenseArrayBase) else ()

    @property
    def lists_returned(self) -> Sequence[int]:
        """The parameters that its last results are the lists of, in order."""
        return self.lists if RETURNED in self.attributes else ()

    @property
    def returns(self) -> "list[LocalReturnOp]":
        """The returns, at any depth, in order."""
        return [op for op in own_ops(self) if isinstance(op, LocalReturnOp)]

    @property
    def params(self) -> Sequence[BlockArgument]:
        """What it is given."""
        return self.body.block.args

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.label)
        with printer.in_parens():
            printer.print_list(self.params, lambda a: _print_param(printer, a))
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        if self.attributes:
            printer.print_op_attributes(self.attributes)

    @classmethod
    def parse(cls, parser: Parser) -> "LocalFunctionOp":
        label = parser.parse_str_literal()

        def param() -> Parser.Argument:
            name = parser.parse_argument(expect_type=False)
            typed = parser.parse_optional_punctuation(":") is not None
            return name.resolve(parser.parse_type() if typed else VALUE)

        params = parser.parse_comma_separated_list(parser.Delimiter.PAREN, param)
        op = cls(label, parse_region(parser, UnreachableOp, params))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def verify_(self) -> None:
        last = self.body.block.last_op
        if last is None or not last.has_trait(IsTerminator):
            raise VerifyException("a dycl.local_function ends in dycl.local_return")


def _print_param(printer: Printer, value: SSAValue) -> None:
    printer.print_ssa_value(value)
    if value.type != VALUE:
        printer.print_string(" : ")
        printer.print_attribute(value.type)


@irdl_op_definition
class LocalReturnOp(EndOp):
    """Leave the local function around with these values."""

    name = "dycl.local_return"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), RunsOnHost())

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])

    def verify_(self) -> None:
        if function_around(self) is None:
            raise VerifyException("there is no dycl.local_function around this return")


@irdl_op_definition
class LocalCallOp(ValueOp):
    """Run the local function of this label, the nearest one in a block around."""

    name = "dycl.local_call"
    label = prop_def(StringAttr)
    arguments = var_operand_def()
    results_ = var_result_def()
    traits = traits_def(RunsOnHost())

    def __init__(
        self, label: str, arguments: Sequence[SSAValue], types: Sequence[Attribute]
    ):
        super().__init__(
            properties={"label": StringAttr(label)},
            operands=[arguments],
            result_types=[types],
        )

    @property
    def function(self) -> LocalFunctionOp:
        """The local function. Needs a call that verifies."""
        function = function_called(self)
        assert function is not None
        return function

    def print(self, printer: Printer) -> None:
        self.print_body(printer)
        if self.attributes:
            printer.print_op_attributes(self.attributes)
        types = {*self.operand_types, *self.result_types}
        if len(self.results) != 1 or types != {VALUE}:
            printer.print_string(" : ")
            printer.print_function_type(self.operand_types, self.result_types)

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.label)
        print_operand_list(printer, self.operands)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        properties["label"] = StringAttr(parser.parse_str_literal())
        return parse_operand_list(parser)

    def verify_(self) -> None:
        if (function := function_called(self)) is None:
            raise VerifyException(f"there is no local function {self.label} here")
        what = f"{self.name} {self.label} gives"
        verify_types(what, self.operand_types, [a.type for a in function.params])
        for end in function.returns:
            what = f"{end.name} of {self.label} gives"
            verify_types(what, end.operand_types, self.result_types)


def function_called(call: LocalCallOp) -> LocalFunctionOp | None:
    """The local function that a call runs; None: there is none of its label."""
    inner: Operation | None = call
    while inner is not None:
        if isinstance(inner, LocalFunctionOp) and inner.label == call.label:
            return inner
        block = inner.parent
        for op in block.ops if isinstance(block, Block) else ():
            if isinstance(op, LocalFunctionOp) and op.label == call.label:
                return op
        inner = inner.parent_op()
    return None


def function_around(op: Operation) -> LocalFunctionOp | None:
    """The local function that an op is in; None: it is in none."""
    around = op.parent_op()
    while around is not None and not isinstance(around, LocalFunctionOp):
        around = around.parent_op()
    return around


def own_ops(root: Operation) -> Iterator[Operation]:
    """The ops inside a function, without those of the local functions inside.

    A local function that stands in it is among them, but not its body.
    """
    for region in root.regions:
        for block in region.blocks:
            for op in block.ops:
                yield op
                if not isinstance(op, LocalFunctionOp):
                    yield from own_ops(op)


def local_functions(root: Operation) -> list[LocalFunctionOp]:
    """The local functions inside a function, in order."""
    return [op for op in walk(root) if isinstance(op, LocalFunctionOp)]
