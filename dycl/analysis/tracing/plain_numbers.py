"""Ints of a run beside tensors of dynamic sizes: plain numbers, where that suffices.

    x[:k] + n    x[:k].masked_fill(mask, n)    torch.full((k,), n)    x.triu(n)

Every int of a run may be a size, and then has a text that says which. Where no shape
depends on it, and the op has a lowering for a plain number, it is taken for one: it may
be below zero, which no size of a tensor may, and torch's own functions that look into
an int work as they do for tensors of known sizes.
"""

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.neutral_names import NeutralNames
from dycl.analysis.dynamic_sizes.size_texts import words
from dycl.analysis.tensors.abstract import Scalar, Tensor, leaves, map_leaves
from dycl.analysis.tensors.element_numbers import name_of
from dycl.analysis.tensors.fakes import needs_torch
from dycl.analysis.tensors.memo import Memo
from dycl.analysis.tensors.op_signatures import of_this_model, op_signature
from dycl.analysis.tensors.transfer import outcome
from dycl.analysis.tracing.graph import Input, Trace
from dycl.analysis.tracing.trace import trace
from dycl.ir import BinaryOp, CallOp, CompareOp, InplaceOp, InvokeOp
from dycl.ir.environment import Environment
from dycl.support.plain_data import Format

_OPS = (BinaryOp, CallOp, CompareOp, InplaceOp, InvokeOp)
_NUMBERS = ("number", "float", "Optional[number]", "Optional[float]")
"""Types in torch's schemas that a plain number may be of; an int is a dim, or a place,
of which a kernel has to know more."""
_MAKERS = ("tensor", "as_tensor", "full", "new_tensor", "new_full")
"""Ops that are others before they are traced: the pass `dycl-expand-number-tensors`."""
_ANY_INT = ("torch.aten.triu", "torch.aten.tril")
"""Ops that take every int for one of theirs."""
_PLACES = Memo[tuple[int, ...]]("plain numbers", 4096, Format())


def with_plain_numbers(
    op: Operation, operands: Sequence[object], environment: Environment
) -> list[object]:
    """The operands of `op`, whose ints are no sizes if no shape depends on them."""
    if not (isinstance(op, _OPS) and _sizes(operands) and needs_torch(op, operands)):
        return list(operands)
    if of_this_model(operands, environment):
        return _without(operands, _places(op, operands, environment))
    given = NeutralNames(operands).neutral(operands)
    key = op_signature(op, given, environment)
    places = _PLACES.get(key, lambda: _places(op, given, environment))
    return _without(operands, places)


def _places(
    op: Operation, operands: Sequence[object], environment: Environment
) -> tuple[int, ...]:
    """The leaves that are taken for plain numbers."""
    for places in _choices(_sizes(operands)):
        given = _without(operands, places)
        found = outcome(op, given, environment)
        values = [leaf for tree in found.results for leaf in leaves(tree)]
        if not values or not all(isinstance(value, Tensor) for value in values):
            continue
        if name_of(op) in _MAKERS:
            return places
        traced = trace(op, given, environment)
        if isinstance(traced, Trace) and _are_numbers(traced, places):
            return places
    return ()


def _choices(sizes: dict[int, str]) -> Iterator[tuple[int, ...]]:
    """All of them, those that may be below zero, and each alone."""
    below = [place for place, text in sizes.items() if _may_be_below_zero(text)]
    singles = [(place,) for place in sizes] if len(sizes) > 1 else []
    yield from dict.fromkeys((tuple(sizes), *filter(None, [tuple(below)]), *singles))


def _may_be_below_zero(text: str) -> bool:
    """An int that is no size of a tensor, or a difference."""
    return "-" in text or any(name.startswith("n") for name in words(text))


def _are_numbers(found: Trace, places: Sequence[int]) -> bool:
    """Whether the leaves stand only where a plain number may."""

    def has_leaf(operand: object) -> bool:
        if isinstance(operand, tuple):
            return any(has_leaf(item) for item in operand)
        return isinstance(operand, Input) and operand.leaf in places

    return all(
        kind in _NUMBERS or node.op in _ANY_INT or not has_leaf(operand)
        for node in found.nodes
        for operand, kind in zip(node.operands, node.kinds, strict=True)
    )


def _sizes(operands: Sequence[object]) -> dict[int, str]:
    """The ints that are sizes, by leaf."""
    found = enumerate(leaf for tree in operands for leaf in leaves(tree))
    return {
        place: leaf.size.text
        for place, leaf in found
        if isinstance(leaf, Scalar) and leaf.size is not None
    }


def _without(operands: Sequence[object], places: Sequence[int]) -> list[object]:
    """The operands with plain numbers for these leaves."""
    rest = iter(range(sum(1 for tree in operands for _ in leaves(tree))))

    def one(leaf: object) -> object:
        is_plain = next(rest) in places
        return Scalar(leaf.kind) if is_plain and isinstance(leaf, Scalar) else leaf

    return [map_leaves(tree, one) for tree in operands]
