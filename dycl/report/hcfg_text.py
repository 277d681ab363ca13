"""The control-flow graph as text that other tools draw: Graphviz DOT and Mermaid."""

from __future__ import annotations

from dycl.report.graph import Edge, Graph, Node, NodeKind
from dycl.report.measured import HEATS, Measured, label_of, lines_of

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


def to_dot(graph: Graph, measured: Measured | None = None) -> str:
    """The graph in Graphviz's language, one node or edge a line.

    `measured`: what a profile says of it, which is drawn too.
    """
    lines = [
        f'digraph "{_dot_text(graph.title)}" {{',
        '  node [style=filled, fontname="monospace"];',
        '  edge [fontname="monospace"];',
        *(f"  {_dot_node(node, measured)}" for node in graph.nodes),
        *(
            f"  {_dot_edge(place, edge, measured)}"
            for place, edge in enumerate(graph.edges)
        ),
        "}",
    ]
    return "\n".join(lines) + "\n"


def to_mermaid(graph: Graph, measured: Measured | None = None) -> str:
    """The graph as a Mermaid flowchart: GitHub draws it in any Markdown file.

    `measured`: what a profile says of it, which is drawn too.
    """
    styles = {_style(node, measured) for node in graph.nodes}
    colours = {kind.value: text for kind, text in _MERMAID_COLOURS.items()}
    colours |= {
        f"heat{place}": f"fill:{colour},stroke:#1e40af,color:#111"
        for place, colour in enumerate(HEATS)
    }
    widths = [
        f"  linkStyle {place} stroke-width:{_width(weight):.1f}px"
        for place in range(len(graph.edges))
        if measured is not None and (weight := measured.weight(place)) is not None
    ]
    lines = [
        "flowchart TD",
        *(f"  {_mermaid_node(node, measured)}" for node in graph.nodes),
        *(f"  {_mermaid_edge(edge, measured)}" for edge in graph.edges),
        *(
            f"  classDef {name} {text}"
            for name, text in colours.items()
            if name in styles
        ),
        *widths,
    ]
    return "\n".join(lines) + "\n"


def _width(weight: float) -> float:
    """How many pixels wide a line is that is taken as often."""
    return 0.5 + 3.5 * weight


def _dot_node(node: Node, measured: Measured | None) -> str:
    label = "\\n".join(map(_dot_text, lines_of(node, measured)))
    style = _DOT_STYLE[node.kind]
    heat = None if measured is None else measured.heat(node)
    if heat is not None:
        style = f'shape=box, fillcolor="{HEATS[heat]}"'
    return f'n{node.id} [label="{label}", {style}];'


def _dot_edge(place: int, edge: Edge, measured: Measured | None) -> str:
    label = label_of(edge, measured)
    attributes = [f'label="{label}"'] if label else []
    if edge.back:
        attributes.append("style=dashed, constraint=false")
    if measured is not None and (weight := measured.weight(place)) is not None:
        attributes.append(f"penwidth={_width(weight):.1f}")
    suffix = f" [{', '.join(attributes)}]" if attributes else ""
    return f"n{edge.source} -> n{edge.target}{suffix};"


def _dot_text(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _style(node: Node, measured: Measured | None) -> str:
    """The name of a node's style."""
    heat = None if measured is None else measured.heat(node)
    return node.kind.value if heat is None else f"heat{heat}"


def _mermaid_node(node: Node, measured: Measured | None) -> str:
    opening, closing = _MERMAID_SHAPE[node.kind]
    label = "<br>".join(map(_mermaid_text, lines_of(node, measured)))
    style = f":::{_style(node, measured)}" if node.kind in _MERMAID_COLOURS else ""
    return f"n{node.id}{opening}{label}{closing}{style}"


def _mermaid_edge(edge: Edge, measured: Measured | None) -> str:
    arrow = "-.->" if edge.back else "-->"
    label = f"|{text}|" if (text := label_of(edge, measured)) else ""
    return f"n{edge.source} {arrow}{label} n{edge.target}"


def _mermaid_text(text: str) -> str:
    # Mermaid's own escapes: `#` and the code of the character, then `;`.
    plain = text.replace("\n", " ").replace("#", "#35;")
    for character, code in (('"', "#quot;"), ("<", "#lt;"), (">", "#gt;")):
        plain = plain.replace(character, code)
    # A leading number and a dot, or backticks, would be read as Markdown.
    return plain.replace("`", "#96;")
