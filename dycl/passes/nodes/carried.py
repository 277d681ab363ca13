"""None that a loop carries, or a recursion gives, beside nodes is a node: None is one.

Before                             After
------                             -----
%no = dycl.constant #dycl.none     %no = dycl.constant #dycl.none -> !dycl.node<"m.Node">
%r = dycl.while carry(%a = %no) {  %r = dycl.while carry(%a = %no : !dycl.node<"m.Node">) {
  %q = dycl.to_bool %node            %t = dycl.is_node %node ["None"]
  dycl.condition %q, %a              %q = dycl.unary not %t
} do(%b) {                           dycl.condition %q, %a
  dycl.yield %node                 } do(%b) {
}                                    dycl.yield %node
dycl.return %r                     }
                                   dycl.return %r

So what is carried or given has one type, `found is None` asks the node, and no
iteration has to be in front of a loop. Of a value that may be anything else, nothing
changes.
"""  # noqa: E501

from collections.abc import Container

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    ConstantOp,
    LocalCallOp,
    LocalFunctionOp,
    LocalReturnOp,
    NodeType,
    SelectOp,
    WhileOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import forwarded_from, forwarded_to
from dycl.ir.rewriting import erase, insert_after
from dycl.ir.torch import NoneT
from dycl.ir.walking import walk


def none_as_node(entry: FuncOp, datatypes: Container[str]) -> None:
    """Give None that loops carry, or recursions give, the type of the nodes that are
    there otherwise. What `id` gives is in none of the datatypes."""
    for op in list(walk(entry)):
        values: list[SSAValue] = []
        if isinstance(op, WhileOp):
            values = [*op.results, *op.before.block.args]
        elif isinstance(op, LocalCallOp):
            values = [*op.results]
        for value in values:
            if value.type in (VALUE, NoneT):
                _Web(value).retype(datatypes)


class _Web:
    """All that becomes one value, by branches, loops and calls."""

    def __init__(self, value: SSAValue):
        self.leaves: dict[SSAValue, None] = {}
        self.inner: set[SSAValue] = set()
        self.places: set[tuple[LocalFunctionOp, int]] = set()
        """What functions give that is in the web: by the number of the result."""
        waiting = [value]
        while waiting:
            one = waiting.pop()
            if one in self.inner or one in self.leaves:
                continue
            if sources := self._sources(one):
                self.inner.add(one)
                waiting += sources
            else:
                self.leaves[one] = None

    def _sources(self, value: SSAValue) -> list[SSAValue]:
        owner = value.owner
        if isinstance(owner, SelectOp):
            return [owner.if_true, owner.if_false]
        if not isinstance(owner, LocalCallOp):
            return forwarded_from(value)
        function, number = owner.function, owner.results.index(value)
        self.places.add((function, number))
        return [e.values[number] for e in function.returns if number < len(e.values)]

    def retype(self, datatypes: Container[str]) -> None:
        """Make the None of it a node, if all else is nodes of one type."""
        nones = [leaf for leaf in self.leaves if _is_plain_none(leaf)]
        kinds = {leaf.type for leaf in self.leaves if leaf not in nones}
        kind = next(iter(kinds), None)
        if len(kinds) != 1 or not isinstance(kind, NodeType):
            return
        if kind.datatype.data not in datatypes:
            return
        for none in nones:
            uses = [u for u in none.uses if self._takes(u.operation, u.index)]
            assert isinstance(none.owner, ConstantOp)
            typed = ConstantOp(none.owner.value, kind)
            typed.result.name_hint = none.name_hint
            insert_after(none.owner, typed)
            for use in uses:
                use.operation.operands[use.index] = typed.result
            if not none.uses:
                erase(none.owner)

    def _takes(self, op: Operation, index: int) -> bool:
        """Whether an operand of an op becomes a value of the web."""
        if isinstance(op, SelectOp):
            return index > 0 and op.result in self.inner
        if isinstance(op, LocalReturnOp):
            return (function_around(op), index) in self.places
        return any(value in self.inner for value in forwarded_to(op, index))


def _is_plain_none(value: SSAValue) -> bool:
    return (
        isinstance(value.owner, ConstantOp)
        and constant_value(value) is None
        and not isinstance(value.type, NodeType)
    )
