"""The picture of a network's control flow as data: nodes in a grid, and edges."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass


class NodeKind(enum.Enum):
    """What a node stands for."""

    ENTRY = "entry"
    KERNEL = "kernel"
    DECISION = "decision"
    EXIT = "exit"


@dataclass(frozen=True)
class Work:
    """What one launch of a kernel computes and touches."""

    flops: int
    """Of convolutions and products of matrices."""
    bytes: int
    """Of what it is given and gives."""

    def __str__(self) -> str:
        """`2.4 MFLOP · 38 kB`; without products the bytes alone."""
        touched = _scaled(self.bytes, "B")
        return f"{_scaled(self.flops, 'FLOP')} · {touched}" if self.flops else touched


def _scaled(count: float, unit: str) -> str:
    for size, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.3g} {prefix}{unit}"
    return f"{count:.0f} {unit}"


@dataclass(frozen=True)
class Node:
    """One box of the picture. `label` is what the user reads first."""

    id: int
    kind: NodeKind
    label: str
    name: str
    """Kernel: its symbol. Decision: its name in `net.path`. Otherwise empty."""
    location: str
    """`net.py:31`, without folders: pictures are the same on every machine."""
    row: int
    column: int
    size: str = ""
    """Of a kernel: the tensors that it gives, as `f32[1,16,8,8]`."""
    work: Work | None = None
    """Of a kernel, if it does not depend on sizes that the run decides."""


@dataclass(frozen=True)
class Edge:
    """From node to node; `label` is `yes` or `no` below a decision, else empty."""

    source: int
    target: int
    label: str = ""
    back: bool = False
    """Whether this edge closes a loop."""


@dataclass(frozen=True)
class Graph:
    """Nodes in reading order (`nodes[i].id == i`), edges as the walk finds them."""

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def count(self, kind: NodeKind) -> int:
        """How many nodes are of this kind."""
        return sum(node.kind is kind for node in self.nodes)


def caption(node: Node) -> Sequence[str]:
    """The lines of text inside a node: the label; name, location and size; the work."""
    name = node.name if node.name != node.label else ""
    work = "" if node.work is None else str(node.work)
    parts = (name, node.location, node.size if work else "")
    small = " · ".join(part for part in parts if part)
    return [line for line in (node.label, small, work) if line]
