"""The control-flow graph as an SVG picture, without Graphviz.

The grid of `dycl.report.hcfg` is drawn as it is: one box a cell. Lines run straight
down their column, or in the free lanes between rows and between columns, so no line
crosses a box. The work is linear in the size of the graph (but for one binary search
an edge), and 54 decisions in a row are 54 rows of the same height.
"""

from bisect import bisect_right
from collections.abc import Iterable
from math import ceil
from xml.sax.saxutils import escape

from dycl.report.hcfg import Edge, Graph, Node, NodeKind, caption

_HEIGHT = 40
_ROW_GAP = 32
_LEAVE = 10
"""A line that turns aside after its source does so this far below it."""
_ARRIVE = 12
"""A line that comes from aside does so this far above its target."""
_COLUMN_GAP = 56
_MARGIN = 24
_MOST_CHARACTERS = 44
_CHARACTER = (7.3, 6.1)
"""Width of a character of a monospace font at 12 and 10 pixels."""
_PADDING = {
    NodeKind.ENTRY: 36,
    NodeKind.KERNEL: 24,
    NodeKind.DECISION: 48,
    NodeKind.EXIT: 36,
}

_STYLE = """\
    text { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 12px;
           text-anchor: middle; fill: #111 }
    text.small { font-size: 10px; fill: #555 }
    text.edge { font-size: 10px; fill: #555; text-anchor: start }
    .entry { fill: #f1f3f5; stroke: #6b7280 }
    .kernel { fill: #dbeafe; stroke: #1e40af }
    .decision { fill: #fef3c7; stroke: #92400e }
    .exit { fill: #dcfce7; stroke: #166534 }
    path { fill: none; stroke: #444; marker-end: url(#arrow) }
    path.back { stroke-dasharray: 5 3 }
    path.tip { fill: #444; stroke: none; marker-end: none }"""


def to_svg(graph: Graph) -> str:
    """The graph as the text of a stand-alone SVG file."""
    return _Layout(graph).svg()


class _Layout:
    def __init__(self, graph: Graph):
        self.graph = graph
        columns = 1 + max(node.column for node in graph.nodes)
        widths = [0] * columns
        self.rows: list[list[int]] = [[] for _ in range(columns)]
        for node in graph.nodes:
            widths[node.column] = max(widths[node.column], _width(node))
            self.rows[node.column].append(node.row)
        self.centres: list[int] = []
        self.lanes: list[int] = []
        """x of the lane right of each column."""
        x = _MARGIN
        for width in widths:
            self.centres.append(x + width // 2)
            self.lanes.append(x + width + _COLUMN_GAP // 2)
            x += width + _COLUMN_GAP
        self.width = x - _COLUMN_GAP // 2 + _MARGIN // 2
        last = max(node.row for node in graph.nodes)
        self.height = _top(last) + _HEIGHT + _MARGIN

    def svg(self) -> str:
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
            f'width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}">',
            f"  <title>{_xml(self.graph.title)}</title>",
            f"  <style>\n{_STYLE}\n  </style>",
            '  <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" '
            'markerWidth="7" markerHeight="7" orient="auto">'
            '<path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
            f'  <rect width="{self.width}" height="{self.height}" fill="#fff"/>',
            *(line for edge in self.graph.edges for line in self.edge(edge)),
            *(line for node in self.graph.nodes for line in self.node(node)),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def edge(self, edge: Edge) -> Iterable[str]:
        source, target = self.graph.nodes[edge.source], self.graph.nodes[edge.target]
        sideways = edge.label == "yes"
        style = ' class="back"' if edge.back else ""
        yield f'  <path{style} d="{self.route(source, target, edge)}"/>'
        if edge.label:
            centre = self.centres[source.column]
            x = centre + _width(source) // 2 + 4 if sideways else centre + 5
            y = _middle(source) - 4 if sideways else _top(source.row) + _HEIGHT + 14
            yield f'  <text class="edge" x="{x}" y="{y}">{edge.label}</text>'

    def route(self, source: Node, target: Node, edge: Edge) -> str:
        """The path of a line: where it starts, its turns, its end."""
        x, goal = self.centres[source.column], self.centres[target.column]
        bottom, arrive = _top(source.row) + _HEIGHT, _top(target.row) - _ARRIVE
        right, lane = x + _width(source) // 2, self.lanes[source.column]
        if edge.label == "yes":
            if (target.row, target.column) == (source.row, source.column + 1):
                return f"M{right} {_middle(source)} H{goal - _width(target) // 2}"
            start = f"M{right} {_middle(source)} H{lane}"
        elif edge.back or not self.is_clear(source, target):
            start = f"M{x} {bottom} V{bottom + _LEAVE} H{lane}"
        elif x == goal:
            return f"M{x} {bottom} V{_top(target.row)}"
        else:
            start = f"M{x} {bottom}"
        return f"{start} V{arrive} H{goal} V{_top(target.row)}"

    def is_clear(self, source: Node, target: Node) -> bool:
        """Whether no box of the source's column stands between the two rows."""
        rows = self.rows[source.column]
        next_row = bisect_right(rows, source.row)
        return next_row == len(rows) or rows[next_row] >= target.row

    def node(self, node: Node) -> Iterable[str]:
        x, y, width = self.centres[node.column], _top(node.row), _width(node)
        left, right, middle, bottom = x - width // 2, x + width // 2, y + 20, y + 40
        yield f"  <g><title>{_xml(' · '.join(caption(node)))}</title>"
        if node.kind is NodeKind.DECISION:
            corners = (
                f"{left},{middle} {left + 16},{y} {right - 16},{y} "
                f"{right},{middle} {right - 16},{bottom} {left + 16},{bottom}"
            )
            yield f'    <polygon class="decision" points="{corners}"/>'
        else:
            radius = 3 if node.kind is NodeKind.KERNEL else 20
            yield (
                f'    <rect class="{node.kind.value}" x="{left}" y="{y}" '
                f'width="{right - left}" height="{_HEIGHT}" rx="{radius}"/>'
            )
        lines = _shown(node)
        baselines = (y + 24,) if len(lines) == 1 else (y + 18, y + 31)
        for line, baseline, style in zip(
            lines, baselines, ("", ' class="small"'), strict=False
        ):
            yield f'    <text{style} x="{x}" y="{baseline}">{_xml(line)}</text>'
        yield "  </g>"


def _top(row: int) -> int:
    return _MARGIN + row * (_HEIGHT + _ROW_GAP)


def _middle(node: Node) -> int:
    return _top(node.row) + _HEIGHT // 2


def _width(node: Node) -> int:
    texts = zip(_shown(node), _CHARACTER, strict=False)
    longest = max(ceil(len(text) * each) for text, each in texts)
    return 2 * ((longest + _PADDING[node.kind] + 1) // 2)  # even: the centre is a pixel


def _shown(node: Node) -> list[str]:
    """The node's lines, cut to a length that keeps the picture narrow."""
    return [
        line if len(line) <= _MOST_CHARACTERS else line[: _MOST_CHARACTERS - 1] + "…"
        for line in caption(node)
    ]


def _xml(text: str) -> str:
    return escape(text.replace("\n", " "))
