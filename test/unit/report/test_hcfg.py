"""The graph that is drawn: nodes, edges, labels, and the cells of the grid."""

import hcfg_samples as samples
import pytest

from dycl.diag import PassFailed
from dycl.report import NodeKind, build_graph, to_dot, to_mermaid
from dycl.tools.cli_show import parse_module


def edges_of(graph):
    label = {node.id: node.label for node in graph.nodes}
    return [
        f"{label[e.source]} {'~' if e.back else '-'}{e.label}> {label[e.target]}"
        for e in graph.edges
    ]


def test_both_sides_of_a_skipped_block_meet_in_the_next_decision():
    assert edges_of(samples.graph_of(samples.skips(2))) == [
        "forward(x, p) -> stem",
        "stem -> policy[0] > 0.5",
        "policy[0] > 0.5 -yes> block0_then",
        "block0_then -> policy[1] > 0.5",
        "policy[0] > 0.5 -no> policy[1] > 0.5",
        "policy[1] > 0.5 -yes> block1_then",
        "block1_then -> exit 1",
        "policy[1] > 0.5 -no> exit 1",
    ]


def test_an_exit_has_no_way_on():
    graph = samples.graph_of(samples.exits(3))
    exits = {n.id for n in graph.nodes if n.kind is NodeKind.EXIT}
    assert len(exits) == 4
    assert not any(edge.source in exits for edge in graph.edges)


def test_nested_branches_join_where_the_outer_if_ends():
    assert edges_of(samples.graph_of(samples.NESTED)) == [
        "forward(x, p) -> outer",
        "outer -yes> outer_then",
        "outer_then -> inner",
        "inner -yes> exit 1",
        "inner -no> after_inner",
        "outer -no> elif",
        "elif -yes> elif_then",
        "elif -no> else",
        "after_inner -> exit 2",
        "elif_then -> exit 2",
        "else -> exit 2",
    ]


def test_leaving_a_scope_goes_behind_it():
    assert edges_of(samples.graph_of(samples.SCOPE)) == [
        "forward(x, p) -> t",
        "t -no> late",
        "t -yes> after",
        "late -> after",
        "after -> exit 1",
    ]


def test_an_inner_scope_of_the_same_name_is_over_when_it_ends():
    assert edges_of(samples.graph_of(samples.SCOPES_OF_ONE_NAME)) == [
        "forward(x, p) -> between",
        "between -> after",
        "after -> exit 1",
    ]


def test_a_while_goes_back_to_what_computes_its_predicate():
    assert edges_of(samples.graph_of(samples.LOOP)) == [
        "forward(x, p) -> score",
        "score -> not done",
        "not done -yes> step",
        "step ~> score",
        "not done -no> exit 1",
    ]


def test_an_if_with_two_empty_sides_still_leads_on():
    body = f'dycl.if %p : {samples.BOOL} {{}} {{test = "t"}}\n' + samples.returned()
    assert edges_of(samples.graph_of(body))[1:] == ["t -yes> exit 1", "t -no> exit 1"]


def test_a_decision_without_words_shows_its_name():
    body = f'dycl.if %p : {samples.BOOL} {{}} {{name = "b3"}}\n' + samples.returned()
    assert samples.graph_of(body).nodes[1].label == "b3"


def test_places_are_file_and_line_without_folders():
    places = [n.location for n in samples.graph_of(samples.skips(2)).nodes]
    assert places[2] == "net.py:10"
    assert places[4] == "net.py:11"


SHAPES = [samples.NESTED, samples.SCOPE, samples.LOOP, samples.LONG_THEN]


@pytest.mark.parametrize("body", SHAPES)
def test_no_two_nodes_share_a_cell(body):
    cells = [(node.row, node.column) for node in samples.graph_of(body).nodes]
    assert len(set(cells)) == len(cells)


@pytest.mark.parametrize("body", SHAPES)
def test_every_edge_leads_down_or_beside_except_in_loops(body):
    graph = samples.graph_of(body)
    for edge in graph.edges:
        source, target = graph.nodes[edge.source], graph.nodes[edge.target]
        beside = edge.label == "yes" and source.row == target.row
        assert edge.back or beside or source.row < target.row


def test_54_decisions_in_a_row_take_a_row_each_and_two_columns():
    graph = samples.graph_of(samples.skips(54))
    decisions = [n for n in graph.nodes if n.kind is NodeKind.DECISION]
    assert [node.row for node in decisions] == list(range(2, 56))
    assert max(node.column for node in graph.nodes) == 1


def test_without_a_host_function_it_says_which_level_is_meant():
    module = parse_module("func.func @kernel() { func.return }", "k.mlir")
    with pytest.raises(PassFailed, match="no function is marked") as caught:
        build_graph(module)
    assert caught.value.code == "DY401"
    assert "partition" in caught.value.hint


def test_a_loop_of_python_values_is_refused_at_its_place():
    text = (
        "func.func @forward(%x) attributes {dycl.entry} {\n"
        "  dycl.for %i in %x { }\n  dycl.return\n}"
    ).replace("%x)", "%x: !dycl.value)")
    with pytest.raises(PassFailed, match=r"dycl\.for") as caught:
        build_graph(parse_module(text, "net.mlir"))
    assert caught.value.at.line == 2


def test_dot_is_byte_for_byte():
    body = samples.exits(1).replace("p.max()", r"p[\"a\\b\"]")
    assert to_dot(samples.graph_of(body)) == (
        'digraph "forward(x, p)" {\n'
        '  node [style=filled, fontname="monospace"];\n'
        '  edge [fontname="monospace"];\n'
        '  n0 [label="forward(x, p)\\nnet.mlir:1", shape=oval, fillcolor="#f1f3f5"];\n'
        '  n1 [label="stage0\\nnet.mlir:2", shape=box, fillcolor="#dbeafe"];\n'
        '  n2 [label="p[\\"a\\\\b\\"] > self.threshold\\nexit1 · net.mlir:3", '
        'shape=diamond, fillcolor="#fef3c7"];\n'
        '  n3 [label="exit 1\\nnet.mlir:3", shape=oval, fillcolor="#dcfce7"];\n'
        '  n4 [label="exit 2\\nnet.mlir:5", shape=oval, fillcolor="#dcfce7"];\n'
        "  n0 -> n1;\n"
        "  n1 -> n2;\n"
        '  n2 -> n3 [label="yes"];\n'
        '  n2 -> n4 [label="no"];\n'
        "}\n"
    )


def test_mermaid_escapes_what_it_would_read_as_syntax():
    body = samples.exits(1).replace("p.max()", r"t[\"#1\"] < `p`")
    text = to_mermaid(samples.graph_of(body))
    assert "t[#quot;#35;1#quot;] #lt; #96;p#96; #gt; self.threshold" in text


def test_mermaid_marks_the_way_back_of_a_loop():
    assert "  n3 -.-> n1\n" in to_mermaid(samples.graph_of(samples.LOOP))
