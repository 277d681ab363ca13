"""A control-flow graph with its repetitions folded: of many blocks alike, the first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dycl.report.graph import Edge, Graph, Node, NodeKind
from dycl.report.measured import Measured

_LONGEST = 12
"""Nodes of a block that is looked for."""
_FEWEST = 3
"""Blocks that are folded: two are shown."""


@dataclass(frozen=True)
class Collapsed:
    """A smaller graph, and where its parts come from."""

    graph: Graph
    nodes: Sequence[int | None]
    """For each node, which it is of the whole graph; None: it stands for several."""
    edges: Sequence[int]
    """For each edge, which it is of the whole graph."""
    folded: Mapping[int, Sequence[int]]
    """For each node that stands for several, which these are."""

    def measured(self, whole: Measured) -> Measured:
        """What is measured of the whole graph, for this one."""
        pairs = [(new, old) for new, old in enumerate(self.nodes) if old is not None]
        return replace(
            whole,
            nodes={
                **{new: whole.nodes[old] for new, old in pairs if old in whole.nodes},
                **{new: _sum(whole, olds) for new, olds in self.folded.items()},
            },
            sides={new: whole.sides[old] for new, old in pairs if old in whole.sides},
            edges={
                new: whole.edges[old]
                for new, old in enumerate(self.edges)
                if old in whole.edges
            },
        )


def _sum(whole: Measured, nodes: Sequence[int]) -> Mapping[str, Any]:
    """The launches of several nodes together."""
    found = [whole.nodes[node] for node in nodes if node in whole.nodes]
    count = sum(int(one["count"]) for one in found)
    total = sum(float(one["total_us"]) for one in found)
    mean = {"mean_us": total / count} if count else {}
    return {"count": count, "total_us": total, **mean}


def collapse(graph: Graph) -> Collapsed:
    """Fold each run of three and more blocks that are alike: their nodes and edges are,
    but for the names of decisions."""
    stands_for: dict[int, int] = {}
    counts: dict[int, int] = {}
    for start, period, times in _runs(graph):
        first = start + period
        for node in range(first, start + period * times):
            stands_for[node] = first
        counts[first] = times - 1
    kept = [n for n in graph.nodes if stands_for.get(n.id, n.id) == n.id]
    rows = {row: place for place, row in enumerate(sorted({n.row for n in kept}))}
    number = {node.id: place for place, node in enumerate(kept)}
    nodes = [
        _folded(node, number[node.id], rows[node.row], counts.get(node.id))
        for node in kept
    ]
    edges: dict[Edge, int] = {}
    for place, edge in enumerate(graph.edges):
        ends = [stands_for.get(end, end) for end in (edge.source, edge.target)]
        if ends[0] == ends[1] and ends[0] in counts:
            continue
        label = "" if ends[0] in counts else edge.label
        new = Edge(number[ends[0]], number[ends[1]], label, edge.back)
        edges.setdefault(new, place)
    smaller = Graph(graph.title, tuple(nodes), tuple(edges))
    origins = [None if node.id in counts else node.id for node in kept]
    behind: dict[int, list[int]] = defaultdict(list)
    for node, first in stands_for.items():
        behind[number[first]].append(node)
    return Collapsed(smaller, origins, [*edges.values()], dict(behind))


def _folded(node: Node, number: int, row: int, count: int | None) -> Node:
    if count is None:
        return replace(node, id=number, row=row)
    label = f"{count} more like these"
    return Node(number, NodeKind.ENTRY, label, "", "", row, node.column)


def _runs(graph: Graph) -> list[tuple[int, int, int]]:
    """Where blocks repeat: the first node, how long each is, how many there are."""
    ways: Mapping[int, list[tuple[int, str, bool]]] = defaultdict(list)
    for edge in graph.edges:
        ways[edge.source].append((edge.target - edge.source, edge.label, edge.back))
    marks = [
        (n.kind, n.label, n.location, n.column, _kernel(n), *ways[n.id])
        for n in graph.nodes
    ]
    found: list[tuple[int, int, int]] = []
    start = 0
    while start < len(marks):
        tries = [(_times(marks, start, p), p) for p in range(1, _LONGEST + 1)]
        times, period = max(
            tries, key=lambda t: (t[0] * t[1] * (t[0] >= _FEWEST), -t[1])
        )
        if times >= _FEWEST:
            found.append((start, period, times))
            start += period * times
        else:
            start += 1
    return found


def _kernel(node: Node) -> str:
    """Of a decision the name is not looked at: each has its own."""
    return node.name if node.kind is NodeKind.KERNEL else ""


def _times(marks: Sequence[object], start: int, period: int) -> int:
    """How often the block that begins at `start` stands in a row."""
    block = marks[start : start + period]
    times = 1
    while marks[start + times * period : start + (times + 1) * period] == block:
        times += 1
    return times if len(block) == period else 0
