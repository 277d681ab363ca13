"""Building one function: the insertion point, the local names, and the places."""

import ast
from collections.abc import Callable, Sequence
from typing import Any

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.frontend.names import constant_of, lookup_global
from dycl.frontend.refusals import Refusal
from dycl.frontend.source import FunctionSource
from dycl.ir import ConstantOp, UnboundOp, UnsupportedOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.values import to_attr


class FunctionBuilder:
    """What lowering a function's statements and expressions shares.

    `env` maps each local name that has a value here to that value. Lowering a region
    swaps `block` and `env` and puts them back (`region`).
    """

    def __init__(
        self,
        source: FunctionSource,
        local_names: set[str],
        function_symbol: Callable[[Callable[..., Any]], str],
    ):
        self.source = source
        self.local_names = local_names
        self.function_symbol = function_symbol
        self.block = Block()
        self.env: dict[str, SSAValue] = {}
        self.statics: dict[str, object] = {}
        self.loops: list[list[str]] = []

    def emit(
        self, op: Operation, node: ast.AST, hint: str | None = None
    ) -> Sequence[SSAValue]:
        """Add an op at the end of the block, located at `node`."""
        op.location = self.source.location(node)
        self.block.add_op(op)
        if hint is not None and op.results:
            op.results[0].name_hint = hint
        return op.results

    def value(self, op: Operation, node: ast.AST, hint: str | None = None) -> SSAValue:
        """Add an op with one result, and give that."""
        return self.emit(op, node, hint)[0]

    def constant(self, value: object, node: ast.AST) -> SSAValue:
        """A Python value known now."""
        return self.value(ConstantOp(to_attr(value)), node)

    def refuse(self, refusal: Refusal, node: ast.AST) -> SSAValue:
        """Say at this place that the Python here is not taken; go on with a value."""
        return self.value(UnsupportedOp(refusal.code, refusal.what, refusal.help), node)

    def bind(self, name: str, value: SSAValue) -> None:
        """Let a local name mean `value` from here on."""
        self.env[name] = value
        if value.name_hint is None and name.isidentifier():
            value.name_hint = name

    def read(self, name: str, node: ast.AST) -> SSAValue:
        """The value of a local name; an unbound one is an error only if it is used."""
        found = self.env.get(name)
        if found is None:
            found = self.value(UnboundOp(name), node)
        return found

    def global_value(self, name: str) -> object:
        """The Python object of a non-local name, or MISSING."""
        if name in self.statics:
            return self.statics[name]
        return lookup_global(self.source.function, name)

    def as_constant(self, value: object) -> object:
        """The IR value of a Python object from outside the function."""
        return constant_of(value, self.function_symbol)

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
