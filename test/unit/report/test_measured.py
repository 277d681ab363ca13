"""A profile in the picture: counts on edges, times in boxes, in all three forms."""

import itertools
import re
import xml.etree.ElementTree as ET

import hcfg_samples as samples
import pytest

from dycl.report import (
    NodeKind,
    ProfileMismatch,
    graph_data,
    graph_of,
    measure,
    to_dot,
    to_mermaid,
    to_svg,
)


def times(count, total):
    mean = {"mean_us": total / count} if count else {}
    return {"count": count, "total_us": total, **mean}


def profile_of(graph, launched, decided, calls):
    """A profile that fits a graph: times of each kernel, sides of each decision."""

    def place(node):
        file, _, line = node.location.partition(":")
        return {"file": file, "line": int(line or 0)}

    kernels = [n for n in graph.nodes if n.kind is NodeKind.KERNEL]
    decisions = [n for n in graph.nodes if n.kind is NodeKind.DECISION]
    return {
        "calls": times(calls, 100.0),
        "launches": [
            {"kernel": node.name, **place(node), **times(*found)}
            for node, found in zip(kernels, launched, strict=True)
        ],
        "decisions": [
            {
                **{"name": node.name, "test": node.label, **place(node)},
                **{"true": times(yes, 1.0), "false": times(no, 1.0)},
            }
            for node, (yes, no) in zip(decisions, decided, strict=True)
        ],
    }


@pytest.fixture
def skips():
    """A stem and two blocks that may be skipped."""
    return samples.graph_of(samples.skips(2))


@pytest.fixture
def measured(skips):
    """100 calls: the first block is run in 37, the second never."""
    launched = [(100, 50.0), (37, 370.0), (0, 0.0)]
    return measure(skips, profile_of(skips, launched, [(37, 63), (0, 100)], 100))


def test_edges_have_the_counts_of_what_they_leave(skips, measured):
    label = {node.id: node.label for node in skips.nodes}
    counts = {
        (label[e.source], measured.edge_label(e), label[e.target]): measured.edges[i]
        for i, e in enumerate(skips.edges)
    }
    assert counts == {
        ("forward(x, p)", "", "stem"): 100,
        ("stem", "", "policy[0] > 0.5"): 100,
        ("policy[0] > 0.5", "yes 37%", "block0_then"): 37,
        ("block0_then", "", "policy[1] > 0.5"): 37,
        ("policy[0] > 0.5", "no 63%", "policy[1] > 0.5"): 63,
        ("policy[1] > 0.5", "yes 0%", "block1_then"): 0,
        ("block1_then", "", "exit 1"): 0,
        ("policy[1] > 0.5", "no 100%", "exit 1"): 100,
    }


def test_kernels_are_coloured_by_time(skips, measured):
    heats = {n.label: measured.heat(n) for n in skips.nodes}
    assert heats["block0_then"] == 5
    assert heats["stem"] == 1
    assert heats["block1_then"] == 0
    assert heats["policy[0] > 0.5"] is None


def test_what_comes_to_a_node_without_counts_goes_on():
    """A loop without a test has no count of its own; what is in it has."""
    graph = samples.graph_of(samples.LOOP)
    kinds = [n.kind for n in graph.nodes]
    launched = [(30, 3.0)] * kinds.count(NodeKind.KERNEL)
    decided = [(20, 10)] * kinds.count(NodeKind.DECISION)
    found = measure(graph, profile_of(graph, launched, decided, 10))
    for place, edge in enumerate(graph.edges):
        count, source = found.edges.get(place), graph.nodes[edge.source]
        if source.kind is NodeKind.KERNEL:
            assert count == 30
        elif edge.label:
            assert count == {"yes": 20, "no": 10}[edge.label]


def test_alike_launches_are_told_apart_by_their_order():
    graph = samples.graph_of(samples.skips(1))
    twice = graph_of(
        {
            **graph_data(graph),
            "nodes": [
                {**n, "name": "same", "place": ""} if n["kind"] == "kernel" else n
                for n in graph_data(graph)["nodes"]
            ],
        }
    )
    found = measure(twice, profile_of(twice, [(4, 1.0), (1, 9.0)], [(1, 3)], 4))
    by_node = {n.label: found.count(n) for n in twice.nodes}
    assert (by_node["stem"], by_node["block0_then"]) == (4, 1)


def test_a_profile_of_another_network_is_refused(skips):
    other = samples.graph_of(samples.NESTED)
    kinds = [n.kind for n in other.nodes]
    launched = [(1, 1.0)] * kinds.count(NodeKind.KERNEL)
    decided = [(1, 0)] * kinds.count(NodeKind.DECISION)
    with pytest.raises(ProfileMismatch, match="of another network"):
        measure(skips, profile_of(other, launched, decided, 1))


def test_a_graph_is_the_same_read_back(skips):
    assert graph_of(graph_data(skips)) == skips


def test_dot_has_shares_widths_and_colours(skips, measured):
    text = to_dot(skips, measured)
    assert '[label="no 63%", penwidth=2.7]' in text
    assert re.search(r"block0_then.*37 x 10\.0 us, 88%.*#f5854a", text)
    assert "never launched" in text
    assert "penwidth" not in to_dot(skips)


def test_mermaid_has_shares_and_classes(skips, measured):
    text = to_mermaid(skips, measured)
    assert "-->|yes 37%|" in text
    assert "classDef heat5 fill:#f5854a" in text
    assert "linkStyle 2 stroke-width:1.8px" in text
    assert "heat" not in to_mermaid(skips)


def test_svg_has_shares_and_every_text_is_in_its_box(skips, measured):
    root = ET.fromstring(to_svg(skips, measured))
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"yes 37%", "no 63%", "37 x 10.0 us, 88%"} <= set(texts)
    for group in root.iter("{http://www.w3.org/2000/svg}g"):
        if group[1].tag.endswith("rect"):
            top = int(group[1].get("y"))
            bottom = top + int(group[1].get("height"))
            lines = [int(t.get("y")) for t in group if t.tag.endswith("text")]
            assert all(top + 9 <= y <= bottom - 4 for y in lines)
            assert all(b - a == 13 for a, b in itertools.pairwise(lines))
