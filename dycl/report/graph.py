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
    """The lines of text inside a node: the label, then name and location if any."""
    name = node.name if node.name != node.label else ""
    small = " · ".join(part for part in (name, node.location) if part)
    return (node.label, small) if small else (node.label,)
