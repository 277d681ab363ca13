"""Bars as SVG, written by hand: small files, legible on light and on dark pages."""

from html import escape

COLOURS = (
    "#d1495b",
    "#e8a0a8",
    "#5b6770",
    "#9aa5ad",
    "#3d7ea6",
    "#85b6d1",
    "#6a994e",
    "#f2a541",
    "#8367c7",
    "#bfa2db",
    "#2a9d8f",
    "#8d6e63",
    "#c0a16b",
    "#4b5d8a",
    "#b56576",
    "#7f8c4d",
)
"""Of each series, in the order given."""

CUT = 12
"""A bar is drawn up to so many times the shortest, or the mark."""

WIDTH, LEFT, RIGHT = 760, 210, 70
BAR, GAP, HEAD = 13, 12, 42


def bars(
    title: str,
    groups: list[tuple[str, list[tuple[str, float]], float]],
    series: list[str],
) -> str:
    """Groups of bars, one below the other, each group on a scale of its own.

    A group is its label, its bars (series and value) and a mark, drawn as a line: the
    time at nominal peak. The colour of a bar is that of its series' place in `series`.
    """
    lines, y = [], HEAD
    room = WIDTH - LEFT - RIGHT
    for label, found, mark in groups:
        lines.append(_text(12, y + 10, label, "bold"))
        y += BAR + 4
        values = [mark, *(value for _, value in found)]
        top, largest = y, min(max(values), CUT * min(values))
        for name, value in found:
            colour = COLOURS[series.index(name) % len(COLOURS)]
            width = room * min(1.0, value / largest)
            lines.append(_text(LEFT - 8, y + 10, name, anchor="end"))
            lines.append(
                f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" '
                f'fill="{colour}"/>'
            )
            lines.append(_text(LEFT + width + 5, y + 10, _number(value)))
            y += BAR
        x = LEFT + room * mark / largest
        lines.append(
            f'<path d="M{x:.1f} {top - 2}V{y}" stroke="#888" stroke-dasharray="3 2"/>'
        )
        y += GAP
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 18}" '
        f'width="{WIDTH}" height="{y + 18}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{y + 18}" fill="#fff"/>',
        _text(12, 22, title, "bold", size=14),
    ]
    said = (
        f"dashed: at nominal peak; bars of more than {CUT} times the shortest are cut"
    )
    tail = [_text(12, y + 8, said), "</svg>"]
    return "\n".join([*head, *lines, *tail]) + "\n"


def _text(x, y, text, weight="normal", anchor="start", size=11):
    return (
        f'<text x="{x:.1f}" y="{y}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}" fill="#222">{escape(text)}</text>'
    )


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
