"""The control-flow graph as plain data: `hcfg.json` of an artifact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dycl.report.graph import Edge, Graph, Node, NodeKind, Work


def graph_data(graph: Graph) -> dict[str, Any]:
    """The graph as what JSON can hold."""
    nodes = [
        {
            "kind": node.kind.value,
            "label": node.label,
            "name": node.name,
            "place": node.location,
            "row": node.row,
            "column": node.column,
            "size": node.size,
            **({} if node.work is None else _work(node.work)),
        }
        for node in graph.nodes
    ]
    edges = [
        {"from": e.source, "to": e.target, "label": e.label, "back": e.back}
        for e in graph.edges
    ]
    return {"title": graph.title, "nodes": nodes, "edges": edges}


def _work(work: Work) -> dict[str, int]:
    return {"flops": work.flops, "bytes": work.bytes}


def graph_of(data: Mapping[str, Any]) -> Graph:
    """The graph of what `graph_data` gave. KeyError, ValueError: it is of another."""
    nodes = [
        Node(
            number,
            NodeKind(entry["kind"]),
            entry["label"],
            entry["name"],
            entry["place"],
            entry["row"],
            entry["column"],
            entry.get("size", ""),
            Work(entry["flops"], entry["bytes"]) if "flops" in entry else None,
        )
        for number, entry in enumerate(data["nodes"])
    ]
    edges = [Edge(e["from"], e["to"], e["label"], e["back"]) for e in data["edges"]]
    return Graph(data["title"], tuple(nodes), tuple(edges))
