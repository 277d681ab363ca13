"""What the returns of graph trees give, as Python text."""

from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from dycl.host.literals import structure, tuple_text
from dycl.ir import graph
from dycl.ir.graph.function import BEHIND
from dycl.ir.host.segments import number_in
from dycl.ir.values import from_attr


class Returns(NamedTuple):
    """What the exits of one tree give."""

    text: str
    """A tuple with `lambda rt, v: ...` for each; `v(i)` is operand number i."""
    copied: tuple[int, ...]
    """The operands that the caller of the network is given; the others stay where they
    are, for what follows a segment."""


def print_returns(module: ModuleOp) -> list[Returns]:
    """Of each graph tree of a module, in order."""
    return [_of(op) for op in module.ops if isinstance(op, graph.FuncOp)]


def _of(func: graph.FuncOp) -> Returns:
    leads_on = number_in(func, BEHIND)
    copied: set[int] = set()
    texts: list[str] = []
    for number, one in enumerate(func.returned.structures):
        leaves, text = _text(one)
        texts.append(f"lambda rt, v: {text}")
        if number != leads_on:
            copied |= leaves
    return Returns(tuple_text(texts), tuple(sorted(copied)))


def _text(one: Attribute) -> tuple[set[int], str]:
    leaves: set[int] = set()

    def leaf(number: int) -> str:
        leaves.add(number)
        return f"v({number})"

    return leaves, structure(from_attr(one), leaf)
