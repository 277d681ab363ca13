"""Building one function: the insertion point, the local names, and the locations."""

import ast
from collections.abc import Callable, Sequence
from typing import Protocol

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.frontend.names import lookup_global
from dycl.frontend.refusals import Refusal, caught_exception
from dycl.frontend.source import FunctionSource
from dycl.ir import (
    ConstantOp,
    DictOp,
    StoreSubscriptOp,
    SubscriptOp,
    UnboundOp,
    UnsupportedOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.value_names import value_name
from dycl.ir.values import NotAConstant, to_attr

_SMALLER = "use a float, or an integer of 64 bits"


class Outside(Protocol):
    """What is outside of the functions: other functions, objects, values."""

    def value(self, value: object, path: str) -> object:
        """The IR value of a Python object that a function mentions."""
        ...

    def nested(self, name: str, lower: Callable[[str], FuncOp]) -> str:
        """The symbol of a function inside a function, to be lowered later."""
        ...


class FunctionBuilder:
    """What lowering a function's statements and expressions shares.

    `env` maps each local name that has a value here to that value. Lowering a region
    swaps `block` and `env` and puts them back (`region`).
    """

    def __init__(
        self,
        source: FunctionSource,
        local_names: set[str],
        outside: "Outside",
    ):
        self.source = source
        self.local_names = local_names
        self.outside = outside
        self.symbol = ""
        self.block = Block()
        self.env: dict[str, SSAValue] = {}
        self.statics: dict[str, object] = {}
        self.loops: list[list[str]] = []
        self.caught: set[str] = set()
        self.handling: list[str | None] = []
        """The handlers around, and what they call the exception that they caught."""
        """Names of exceptions whose handlers are around: `except E as name`."""
        self.exits: list[Callable[[], bool]] = []
        """What `return` does first, the last one first: it leaves each `with`, and does
        what stands in each `finally`. False: this has left by itself."""
        self.exits_outside: list[int] = []
        """How many of them stand outside of each loop."""
        self.cells: set[str] = set()
        """Local names that inner functions share: `env` has a dict with the value."""
        self.comprehension_names: set[str] = set()

    def emit(
        self, op: Operation, node: ast.AST, hint: str | None = None
    ) -> Sequence[SSAValue]:
        """Add an op at the end of the block, located at `node`."""
        op.location = self.source.location(node)
        self.block.add_op(op)
        if hint is not None and op.results:
            op.results[0].name_hint = value_name(hint)
        return op.results

    def value(self, op: Operation, node: ast.AST, hint: str | None = None) -> SSAValue:
        """Add an op with one result, and give that."""
        return self.emit(op, node, hint)[0]

    def constant(self, value: object, node: ast.AST) -> SSAValue:
        """A Python value known now."""
        try:
            attr = to_attr(value)
        except NotAConstant as why:
            return self.refuse(Refusal("DY114", f"this is {why}", _SMALLER), node)
        return self.value(ConstantOp(attr), node)

    def refuse(self, refusal: Refusal, node: ast.AST) -> SSAValue:
        """Say at this location that the Python is not taken; go on with a value."""
        return self.value(UnsupportedOp(refusal.code, refusal.what, refusal.help), node)

    def bind(self, name: str, value: SSAValue, node: ast.AST | None = None) -> None:
        """Let a local name mean `value` from here on."""
        if name in self.cells:
            node = self.source.node if node is None else node
            key = self.constant(name, node)
            self.emit(StoreSubscriptOp(self.env[name], key, value), node)
            return
        self.env[name] = value
        if value.name_hint is None and name.isidentifier():
            value.name_hint = value_name(name)

    def leave(self, kept: int = 0) -> bool:
        """Run the exits, but for the first `kept`, at the end of the block.

        False: one of them has left another way, so control goes no further.
        """
        exits = self.exits
        goes_on = True
        for count in range(len(exits), kept, -1):
            self.exits = exits[: count - 1]
            if not (goes_on := exits[count - 1]()):
                break
        self.exits = exits
        return goes_on

    def read(self, name: str, node: ast.AST) -> SSAValue:
        """The value of a local name; an unbound one is an error only if it is used."""
        result = self.env.get(name)
        if name in self.cells and result is not None:
            return self.value(SubscriptOp(result, self.constant(name, node)), node)
        if result is None and name in self.caught:
            return self.refuse(caught_exception(name), node)
        if result is None:
            result = self.value(UnboundOp(name), node)
        return result

    def global_value(self, name: str) -> object:
        """The Python object of a non-local name, or MISSING."""
        if name in self.statics:
            return self.statics[name]
        return lookup_global(self.source.function, name)

    def as_constant(self, value: object, text: str) -> object:
        """The IR value of a Python object from outside; the source calls it `text`."""
        module = self.source.function.__globals__.get("__name__", "")
        return self.outside.value(value, f"{module}.{text}")

    def make_cells(self, names: Sequence[str], node: ast.AST) -> None:
        """From here on, these names are shared with inner functions."""
        for name in names:
            items: list[SSAValue] = []
            if name in self.env:
                items = [self.constant(name, node), self.env[name]]
            self.cells.discard(name)
            self.env[name] = self.value(DictOp(items), node)
            self.cells.add(name)

    def end_cells(self, names: Sequence[str], node: ast.AST) -> None:
        """Names that were shared are variables again, with the values they have."""
        for name in names:
            value = self.read(name, node)
            self.cells.discard(name)
            self.env[name] = value

    def region(
        self,
        lower: Callable[[], bool],
        argument_names: Sequence[str | None] = (),
    ) -> "LoweredRegion":
        """Lower into a new region; the builder's block and names are as before after.

        `lower` adds the ops and says whether control falls through. Block arguments are
        bound to `argument_names`.
        """
        block, env = self.block, self.env
        self.block = Block(arg_types=[VALUE] * len(argument_names))
        self.env = dict(env)
        for name, argument in zip(argument_names, self.block.args, strict=True):
            if name is not None:
                self.bind(name, argument)
        falls = lower()
        lowered = LoweredRegion(self.block, self.env, falls)
        self.block, self.env = block, env
        return lowered


class LoweredRegion:
    """A region's block, the names at its end, and whether it falls through."""

    def __init__(self, block: Block, env: dict[str, SSAValue], falls: bool):
        self.block = block
        self.env = env
        self.falls = falls

    def region(self) -> Region:
        """The block as a region."""
        return Region(self.block)
