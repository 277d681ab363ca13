"""A profile as tables of text, in the user's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dycl.runtime.zipping import zip_equal

_MOST_ROWS = 20
_MOST_TEXT = 60
_TIMES = ("mean_us", "p50_us", "p90_us", "p99_us")

Data = Mapping[str, Any]
_Row = Sequence[str]


def as_table(data: Data) -> str:
    """What `Profile.data` gives, to be read: the dearest kernels, all decisions that
    were made, the most frequent paths."""
    calls = data["calls"]
    if not calls["count"]:
        return "no call was profiled"
    parts = [
        _head(data),
        _kernels(data["kernels"], calls["total_us"]),
        _decisions(data),
        _rows(data.get("rows")),
        _paths(data["paths"], data["decisions"], calls["count"]),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(data: Data) -> str:
    calls, share, clock = data["calls"], data["share"], data["clock"]
    more = f", {data['raised']} of which raised" if data["raised"] else ""
    word = "call" if calls["count"] == 1 else "calls"
    lines = [
        f"{calls['count']} {word}{more}, {span(calls['total_us'])}; of a call "
        f"{span(calls['mean_us'])}: "
        + ", ".join(f"{name[:-3]} {span(calls[name])}" for name in _TIMES[1:]),
        f"kernels {share['kernels']:.1%}, {data['host']} host {share['host']:.1%}, "
        f"arguments and results {share['arguments_and_results']:.1%}",
        f"Each launch has two readings of a clock ({clock['name']}) of "
        f"{clock['cost_ns']} ns: one is in the kernel's time, one in the host's.",
    ]
    if data["dropped_launches"]:
        lines.append(
            f"{data['dropped_launches']} launches are missing: a call has too many"
        )
    return "\n".join(lines)


def _kernels(kernels: Sequence[Data], whole: float) -> str:
    ran = [entry for entry in kernels if entry["count"]]
    ran.sort(key=lambda entry: -entry["total_us"])
    rows = [
        [
            entry["kernel"],
            " ".join(entry["places"]),
            str(entry["launches"]),
            str(entry["count"]),
            f"{entry['total_us'] / whole:.1%}",
            *(span(entry[name]) for name in _TIMES),
        ]
        for entry in ran
    ]
    head = ["kernel", "line", "places", "count", "share", "mean", "p50", "p90", "p99"]
    return _table(head, rows, 2)


def _decisions(data: Data) -> str:
    rows: list[_Row] = []
    for entry in data["decisions"]:
        made = entry["true"]["count"] + entry["false"]["count"]
        sides = [(name, entry[name]) for name in ("true", "false")]
        for name, side in sides if made else []:
            times = [span(side[key]) if side["count"] else "" for key in _TIMES[:2]]
            rows.append(
                [
                    *_said(entry, name == "true"),
                    name.title(),
                    str(side["count"]),
                    f"{side['count'] / made:.0%}",
                    *times,
                ]
            )
    head = ["decision", "line", "is", "count", "share", "until next: mean", "p50"]
    return _table(head, rows, 3)


def _rows(rows: Data | None) -> str:
    """How many rows went each way, where many are computed together."""
    lines: list[_Row] = []
    for entry in [] if rows is None else rows["decisions"]:
        made = entry["true"] + entry["false"]
        for name in ("true", "false") if made else ():
            count = entry[name]
            line = [name.title(), str(count), f"{count / made:.0%}"]
            lines.append([*_said(entry, name == "true"), *line])
    return _table(["decision of rows", "line", "is", "rows", "share"], lines, 3)


def _said(entry: Data, is_first: bool) -> _Row:
    """A decision in the user's words, and its place; nothing at its second side."""
    if not is_first:
        return ["", ""]
    what = ": ".join(part for part in (entry["name"], entry["test"]) if part)
    return [what or "a decision", _place(entry)]


def _paths(paths: Sequence[Data], decisions: Sequence[Data], calls: int) -> str:
    rows = [
        [
            _path(entry["path"], decisions),
            str(entry["count"]),
            f"{entry['count'] / calls:.1%}",
            *(span(entry[name]) for name in _TIMES),
        ]
        for entry in paths
    ]
    head = ["path", "count", "share", "mean", "p50", "p90", "p99"]
    return _table(head, rows, 1)


def _path(path: Sequence[Sequence[Any]] | None, decisions: Sequence[Data]) -> str:
    """The sides in order; the names where they are few."""
    if path is None:
        return "(other paths)"
    if not path:
        return "(no decision)"
    names = [decisions[number]["name"] or f"decision {number}" for number, _ in path]
    sides = [side for _, side in path]
    text = ", ".join(f"{name} {side}" for name, side in zip_equal(names, sides))
    if len(text) <= _MOST_TEXT:
        return text
    return "".join("FT"[side] for side in sides)


def _place(entry: Data) -> str:
    return f"{entry['file']}:{entry['line']}" if entry["file"] else ""


def span(microseconds: float) -> str:
    """A time with its unit, of two or three digits."""
    for size, unit in ((1e6, "s"), (1e3, "ms"), (1.0, "us")):
        if microseconds >= size:
            number = microseconds / size
            digits = 0 if number >= 99.95 else 1 if number >= 9.995 else 2
            return f"{number:.{digits}f} {unit}"
    return f"{microseconds * 1e3:.0f} ns"


def _table(head: _Row, rows: Sequence[_Row], left: int) -> str:
    """Columns, the first `left` of which begin on the left; the first rows of many."""
    if not rows:
        return ""
    shown = [head, *rows[:_MOST_ROWS]]
    cut = [[_cut(cell) for cell in row] for row in shown]
    widths = [max(map(len, column)) for column in zip_equal(*cut)]
    lines = [
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip_equal(row, widths))
        ).rstrip()
        for row in cut
    ]
    if len(rows) > _MOST_ROWS:
        lines.append(f"... and {len(rows) - _MOST_ROWS} more")
    return "\n".join(lines)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 3] + "..."
