"""The control-flow graph as an SVG picture, without Graphviz.

The grid of `dycl.report.hcfg` is drawn as it is: one box a cell. Lines run straight
down their column, or in the free lanes between rows and between columns, so no line
crosses a box. The work is linear in the size of the graph (but for one binary search
an edge), and 54 decisions in a row are 54 rows of the same height.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from math import ceil
from xml.sax.saxutils import escape

from dycl.report.graph import Edge, Graph, Node, NodeKind
from dycl.report.measured import HEATS, Measured, label_of, lines_of

_HEIGHT, _LINE = 14, 13
"""Of a box without text, and what each of its lines adds."""
_ROW_GAP = 32
_LEAVE = 10
"""A line that turns aside after its source does so this far below it."""
_ARRIVE = 12
"""A line that comes from aside does so this far above its target."""
_COLUMN_GAP, _COLUMN_GAP_MEASURED = 56, 88
"""The second: an edge's label has a share."""
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


def to_svg(graph: Graph, measured: Measured | None = None) -> str:
    """The graph as the text of a stand-alone SVG file.

    `measured`: what a profile says of it, which is drawn too.
    """
    return _Layout(graph, measured).svg()


class _Layout:
    def __init__(self, graph: Graph, measured: Measured | None):
        self.graph = graph
        self.measured = measured
        self.box = _HEIGHT + _LINE * max(2, *(len(self.shown(n)) for n in graph.nodes))
        """The height of a box."""
        gap = _COLUMN_GAP if measured is None else _COLUMN_GAP_MEASURED
        columns = 1 + max(node.column for node in graph.nodes)
        widths = [0] * columns
        self.rows: list[list[int]] = [[] for _ in range(columns)]
        for node in graph.nodes:
            widths[node.column] = max(widths[node.column], self.width_of(node))
            self.rows[node.column].append(node.row)
        self.centres: list[int] = []
        self.lanes: list[int] = []
        """x of the lane right of each column."""
        x = _MARGIN
        for width in widths:
            self.centres.append(x + width // 2)
            self.lanes.append(x + width + gap // 2)
            x += width + gap
        self.width = x - gap // 2 + _MARGIN // 2
        last = max(node.row for node in graph.nodes)
        self.height = self.top(last) + self.box + _MARGIN

    def svg(self) -> str:
        """The text of the file."""
        # The arrows of lines of several widths are of one size.
        units = "" if self.measured is None else ' markerUnits="userSpaceOnUse"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
            f'width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}">',
            f"  <title>{_xml(self.graph.title)}</title>",
            f"  <style>\n{self.style()}\n  </style>",
            '  <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" '
            f'markerWidth="7" markerHeight="7"{units} orient="auto">'
            '<path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
            f'  <rect width="{self.width}" height="{self.height}" fill="#fff"/>',
            *(
                line
                for place, edge in enumerate(self.graph.edges)
                for line in self.edge(place, edge)
            ),
            *(line for node in self.graph.nodes for line in self.node(node)),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def style(self) -> str:
        """The style sheet."""
        if self.measured is None:
            return _STYLE
        heats = [f"    .heat{i} {{ fill: {c} }}" for i, c in enumerate(HEATS)]
        return "\n".join([_STYLE, *heats])

    def edge(self, place: int, edge: Edge) -> Iterable[str]:
        """The line of an edge, and what is beside it."""
        source, target = self.graph.nodes[edge.source], self.graph.nodes[edge.target]
        sideways = edge.label == "yes"
        style = ' class="back"' if edge.back else ""
        weight = None if self.measured is None else self.measured.weight(place)
        if weight is not None:
            style += f' style="stroke-width: {0.6 + 3.4 * weight:.1f}"'
        yield f'  <path{style} d="{self.route(source, target, edge)}"/>'
        if label := label_of(edge, self.measured):
            centre = self.centres[source.column]
            x = centre + self.width_of(source) // 2 + 4 if sideways else centre + 5
            y = self.middle(source) - 4
            if not sideways:
                y = self.top(source.row) + self.box + 14
            yield f'  <text class="edge" x="{x}" y="{y}">{label}</text>'

    def route(self, source: Node, target: Node, edge: Edge) -> str:
        """The path of a line: where it starts, its turns, its end."""
        x, goal = self.centres[source.column], self.centres[target.column]
        bottom, arrive = self.top(source.row) + self.box, self.top(target.row) - _ARRIVE
        right, lane = x + self.width_of(source) // 2, self.lanes[source.column]
        if edge.label == "yes":
            if (target.row, target.column) == (source.row, source.column + 1):
                end = goal - self.width_of(target) // 2
                return f"M{right} {self.middle(source)} H{end}"
            start = f"M{right} {self.middle(source)} H{lane}"
        elif edge.back or not self.is_clear(source, target):
            start = f"M{x} {bottom} V{bottom + _LEAVE} H{lane}"
        elif x == goal:
            return f"M{x} {bottom} V{self.top(target.row)}"
        else:
            start = f"M{x} {bottom}"
        return f"{start} V{arrive} H{goal} V{self.top(target.row)}"

    def is_clear(self, source: Node, target: Node) -> bool:
        """Whether no box of the source's column stands between the two rows."""
        rows = self.rows[source.column]
        next_row = bisect_right(rows, source.row)
        return next_row == len(rows) or rows[next_row] >= target.row

    def node(self, node: Node) -> Iterable[str]:
        """The box of a node, with its text."""
        x, y, width = self.centres[node.column], self.top(node.row), self.width_of(node)
        left, right, middle = x - width // 2, x + width // 2, y + self.box // 2
        bottom = y + self.box
        lines = self.shown(node)
        title = _xml(" · ".join(lines_of(node, self.measured)))
        yield f'  <g data-node="{node.id}"><title>{title}</title>'
        if node.kind is NodeKind.DECISION:
            corners = (
                f"{left},{middle} {left + 16},{y} {right - 16},{y} "
                f"{right},{middle} {right - 16},{bottom} {left + 16},{bottom}"
            )
            yield f'    <polygon class="decision" points="{corners}"/>'
        else:
            heat = None if self.measured is None else self.measured.heat(node)
            style = node.kind.value if heat is None else f"{node.kind.value} heat{heat}"
            radius = 3 if node.kind is NodeKind.KERNEL else 20
            yield (
                f'    <rect class="{style}" x="{left}" y="{y}" '
                f'width="{right - left}" height="{self.box}" rx="{radius}"/>'
            )
        first = middle + 4 - 13 * (len(lines) - 1) // 2
        for number, line in enumerate(lines):
            style = ' class="small"' if number else ""
            at = f'x="{x}" y="{first + 13 * number}"'
            yield f"    <text{style} {at}>{_xml(line)}</text>"
        yield "  </g>"

    def top(self, row: int) -> int:
        """Where the boxes of a row begin."""
        return _MARGIN + row * (self.box + _ROW_GAP)

    def middle(self, node: Node) -> int:
        """The height at which lines leave a box sideways."""
        return self.top(node.row) + self.box // 2

    def width_of(self, node: Node) -> int:
        """Of a node's box."""
        lines = self.shown(node)
        sizes = (_CHARACTER[0], *[_CHARACTER[1]] * (len(lines) - 1))
        longest = max(ceil(len(t) * s) for t, s in zip(lines, sizes))
        # Even: the centre is a pixel.
        return 2 * ((longest + _PADDING[node.kind] + 1) // 2)

    def shown(self, node: Node) -> list[str]:
        """The node's lines, cut to a length that keeps the picture narrow."""
        most = _MOST_CHARACTERS
        return [
            line if len(line) <= most else line[: most - 1] + "…"
            for line in lines_of(node, self.measured)
        ]


def _xml(text: str) -> str:
    return escape(text.replace("\n", " "))
