"""The control-flow graph as text that other tools draw: Graphviz DOT and Mermaid."""

from dycl.report.hcfg import Edge, Graph, Node, NodeKind, caption

_DOT_STYLE = {
    NodeKind.ENTRY: 'shape=oval, fillcolor="#f1f3f5"',
    NodeKind.KERNEL: 'shape=box, fillcolor="#dbeafe"',
    NodeKind.DECISION: 'shape=diamond, fillcolor="#fef3c7"',
    NodeKind.EXIT: 'shape=oval, fillcolor="#dcfce7"',
}

_MERMAID_SHAPE = {
    NodeKind.ENTRY: ('(["', '"])'),
    NodeKind.KERNEL: ('["', '"]'),
    NodeKind.DECISION: ('{{"', '"}}'),
    NodeKind.EXIT: ('(["', '"])'),
}

_MERMAID_COLOURS = {
    NodeKind.KERNEL: "fill:#dbeafe,stroke:#1e40af,color:#111",
    NodeKind.DECISION: "fill:#fef3c7,stroke:#92400e,color:#111",
    NodeKind.EXIT: "fill:#dcfce7,stroke:#166534,color:#111",
}


def to_dot(graph: Graph) -> str:
    """The graph in Graphviz's language, one node or edge a line."""
    lines = [
        f'digraph "{_dot_text(graph.title)}" {{',
        '  node [style=filled, fontname="monospace"];',
        '  edge [fontname="monospace"];',
        *(f"  {_dot_node(node)}" for node in graph.nodes),
        *(f"  {_dot_edge(edge)}" for edge in graph.edges),
        "}",
    ]
    return "\n".join(lines) + "\n"


def to_mermaid(graph: Graph) -> str:
    """The graph as a Mermaid flowchart: GitHub draws it in any Markdown file."""
    used = {node.kind for node in graph.nodes}
    lines = [
        "flowchart TD",
        *(f"  {_mermaid_node(node)}" for node in graph.nodes),
        *(f"  {_mermaid_edge(edge)}" for edge in graph.edges),
        *(
            f"  classDef {kind.value} {colours}"
            for kind, colours in _MERMAID_COLOURS.items()
            if kind in used
        ),
    ]
    return "\n".join(lines) + "\n"


def _dot_node(node: Node) -> str:
    label = "\\n".join(map(_dot_text, caption(node)))
    return f'n{node.id} [label="{label}", {_DOT_STYLE[node.kind]}];'


def _dot_edge(edge: Edge) -> str:
    attributes = [f'label="{edge.label}"'] if edge.label else []
    if edge.back:
        attributes.append("style=dashed, constraint=false")
    suffix = f" [{', '.join(attributes)}]" if attributes else ""
    return f"n{edge.source} -> n{edge.target}{suffix};"


def _dot_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _mermaid_node(node: Node) -> str:
    opening, closing = _MERMAID_SHAPE[node.kind]
    label = "<br>".join(map(_mermaid_text, caption(node)))
    style = f":::{node.kind.value}" if node.kind in _MERMAID_COLOURS else ""
    return f"n{node.id}{opening}{label}{closing}{style}"


def _mermaid_edge(edge: Edge) -> str:
    arrow = "-.->" if edge.back else "-->"
    label = f"|{edge.label}|" if edge.label else ""
    return f"n{edge.source} {arrow}{label} n{edge.target}"


def _mermaid_text(text: str) -> str:
    # Mermaid's own escapes: `#` and the code of the character, then `;`.
    plain = text.replace("\n", " ").replace("#", "#35;")
    for character, code in (('"', "#quot;"), ("<", "#lt;"), (">", "#gt;")):
        plain = plain.replace(character, code)
    # A leading number and a dot, or backticks, would be read as Markdown.
    return plain.replace("`", "#96;")
