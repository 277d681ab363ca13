"""What a profile says of a control-flow graph: counts of its edges, times of its boxes.

A launch or decision of the profile is the node of the same name and line; of several
alike, the first is the first.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from dycl.report.graph import Edge, Graph, Node, NodeKind, caption
from dycl.runtime.profiling.table import span

HEATS = ("#f1f3f5", "#dbeafe", "#fde2cf", "#fdc9a0", "#fba870", "#f5854a")
"""The colours of kernels by time: none, then from little to most."""


class ProfileMismatch(ValueError):
    """A profile is of another network, or is none."""


@dataclass(frozen=True)
class Measured:
    """Of one graph."""

    calls: int
    nodes: Mapping[int, Mapping[str, Any]]
    """Of kernels: count and times, as `dycl.runtime.profiling` has them."""
    sides: Mapping[int, Mapping[str, int]]
    """Of decisions: how often `yes` and `no`."""
    edges: Mapping[int, int]
    """How often the edge of this place in the graph was taken, where that is known."""
    kernel_us: float
    """The time of all kernels, in microseconds."""

    def count(self, node: Node) -> int | None:
        """How often a node was reached; None: that is not known."""
        if node.id in self.nodes:
            return int(self.nodes[node.id]["count"])
        if node.id in self.sides:
            return sum(self.sides[node.id].values())
        return None

    def caption(self, node: Node) -> str:
        """A line for the box of a kernel: `588 x 12.3 us, p90 14.1 us, 41%`.

        The first time is the median, if the profile has it.
        """
        if node.id not in self.nodes:
            return ""
        found = self.nodes[node.id]
        if not found["count"]:
            return "never launched"
        share = found["total_us"] / self.kernel_us if self.kernel_us else 0.0
        middle = span(found.get("p50_us", found["mean_us"]))
        slow = f", p90 {span(found['p90_us'])}" if "p90_us" in found else ""
        return f"{found['count']} x {middle}{slow}, {share:.0%}"

    def rate(self, node: Node) -> str:
        """` · 12.3 GFLOP/s`, of a kernel with products, at its median; or nothing."""
        middle = self.nodes.get(node.id, {}).get("p50_us")
        if node.work is None or not node.work.flops or not middle:
            return ""
        return f" · {node.work.flops / middle / 1e3:.3g} GFLOP/s"

    def edge_label(self, edge: Edge) -> str:
        """The label of an edge; behind a decision with its share: `yes 63%`."""
        sides = self.sides.get(edge.source)
        if not edge.label or not sides or not sum(sides.values()):
            return edge.label
        return f"{edge.label} {sides[edge.label] / sum(sides.values()):.0%}"

    def weight(self, place: int) -> float | None:
        """How often an edge is taken in a call, at most 1; None: not known."""
        count = self.edges.get(place)
        if count is None:
            return None
        return min(1.0, count / self.calls) if self.calls else 0.0

    def heat(self, node: Node) -> int | None:
        """The place in HEATS of a kernel's share of the longest; None: it is none."""
        if node.id not in self.nodes:
            return None
        most = max(float(entry["total_us"]) for entry in self.nodes.values())
        if not self.nodes[node.id]["count"] or not most:
            return 0
        share = float(self.nodes[node.id]["total_us"]) / most
        steps = len(HEATS) - 1
        return 1 + min(steps - 1, int(share * steps))


def read_profile(path: Path) -> dict[str, Any]:
    """The profile in a file that `Profile.save` wrote. ProfileMismatch; OSError."""
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        raise ProfileMismatch(f"'{path}' is not a profile: {error}") from error
    found = content.get("profile") if isinstance(content, dict) else None
    if not isinstance(found, dict) or "launches" not in found:
        raise ProfileMismatch(f"'{path}' is not a profile: `dycl profile -o` makes one")
    return cast("dict[str, Any]", found)


def measure(graph: Graph, profile: Mapping[str, Any]) -> Measured:
    """Match a profile with a graph. ProfileMismatch: it is of another network."""
    kernels = _match(
        (n for n in graph.nodes if n.kind is NodeKind.KERNEL and n.name),
        profile["launches"],
        "kernel",
    )
    decisions = _match(
        (n for n in graph.nodes if n.kind is NodeKind.DECISION),
        profile["decisions"],
        "name",
    )
    sides = {
        node: {"yes": entry["true"]["count"], "no": entry["false"]["count"]}
        for node, entry in decisions.items()
    }
    calls = int(profile["calls"]["count"])
    return Measured(
        calls,
        kernels,
        sides,
        _edges(graph, calls, kernels, sides),
        sum(float(entry["total_us"]) for entry in kernels.values()),
    )


def _match(
    nodes: Iterable[Node], entries: Iterable[Mapping[str, Any]], name: str
) -> dict[int, Mapping[str, Any]]:
    """Each entry of a profile by its node."""
    waiting: dict[tuple[str, str], list[int]] = defaultdict(list)
    for node in nodes:
        waiting[node.name, node.location].append(node.id)
    found: dict[int, Mapping[str, Any]] = {}
    for entry in entries:
        place = f"{entry['file']}:{entry['line']}" if entry["file"] else ""
        if not (alike := waiting[entry[name], place]):
            what = entry[name] or entry.get("test", "")
            raise ProfileMismatch(
                f"the profile is of another network: here is no {what} at {place}"
            )
        found[alike.pop(0)] = entry
    return found


def _edges(
    graph: Graph,
    calls: int,
    kernels: Mapping[int, Mapping[str, Any]],
    sides: Mapping[int, Mapping[str, int]],
) -> dict[int, int]:
    """How often each edge was taken: what its node gives on, or what came to it."""
    into: dict[int, list[int]] = defaultdict(list)
    for place, edge in enumerate(graph.edges):
        into[edge.target].append(place)
    counts: dict[int, int | None] = {}

    def through(node: int) -> int | None:
        """How often a node was reached; a loop of nodes without counts says nothing."""
        if node not in counts:
            counts[node] = None
            if node in kernels:
                counts[node] = int(kernels[node]["count"])
            elif node == 0:
                counts[node] = calls
            elif into[node]:
                parts = [taken(place) for place in into[node]]
                known = [part for part in parts if part is not None]
                counts[node] = sum(known) if len(known) == len(parts) else None
        return counts[node]

    def taken(place: int) -> int | None:
        edge = graph.edges[place]
        if edge.source in sides and edge.label:
            return sides[edge.source][edge.label]
        return through(edge.source)

    found = {place: taken(place) for place in range(len(graph.edges))}
    return {place: count for place, count in found.items() if count is not None}


def lines_of(node: Node, measured: Measured | None) -> Sequence[str]:
    """The lines of text inside a node; of a measured kernel also sizes and times."""
    lines = list(caption(node))
    if measured is not None and (text := measured.caption(node)):
        if node.work is not None:
            lines[-1] += measured.rate(node)
        elif node.size:
            lines[1:] = [" · ".join([*lines[1:], node.size])]
        lines.append(text)
    return lines


def label_of(edge: Edge, measured: Measured | None) -> str:
    """The label of an edge, with its share if it was measured."""
    return edge.label if measured is None else measured.edge_label(edge)
