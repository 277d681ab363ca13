"""The program after each pass as data for a page: each step by what it changed.

`dycl compile --keep` writes a numbered file for each level, and for each pass that
changed something; they have the user's locations, by which lines are found.
"""

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

_FILE = re.compile(r"(\d)\d-(?:\d+-)?(.+)\.mlir")
_PLACE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):\d+')
_LEVELS = {"1": "normal", "2": "typed", "3": "hcfg", "4": "host", "6": "host"}
"""By the first digit of a pass's file: the level that it leads to."""
_LEVEL_NAMES = ("source", "normal", "typed", "hcfg", "host")


def steps_of(
    folder: Path, without_locations: Callable[[str], str]
) -> tuple[list[dict[str, Any]], set[str]]:
    """The steps in a folder, and all the user's files that they name.

    Each step has its "name", the "level" it is of or leads to, and "edits" to the lines
    of the step before: [first line, how many go, lines that come]. A level also has
    "places": for each line where the user wrote it, as `net.py:31`, or "".
    """
    steps: list[dict[str, Any]] = []
    files: set[str] = set()
    before: list[str] = []
    for path in sorted(folder.glob("*.mlir")):
        if (match := _FILE.fullmatch(path.name)) is None:
            continue
        name = match[2]
        is_level = name in _LEVEL_NAMES
        lines: list[str] = []
        places: list[str] = []
        for line, place in _lines(path.read_text("utf-8"), without_locations):
            lines.append(line)
            places.append("" if place is None else f"{_short(place[0])}:{place[1]}")
            if place is not None:
                files.add(place[0])
        step: dict[str, Any] = {
            "name": name,
            "level": name if is_level else _LEVELS.get(match[1], ""),
            "isLevel": is_level,
            "edits": _edits(before, lines),
        }
        if is_level:
            step["places"] = places
        steps.append(step)
        before = lines
    return steps, files


def _lines(
    text: str, without_locations: Callable[[str], str]
) -> Iterator[tuple[str, tuple[str, str] | None]]:
    """Each line of IR without its location, and the innermost place of that."""
    for line in text.splitlines():
        if not line.startswith("#loc"):
            found = _PLACE.search(line, max(line.rfind(" loc("), 0))
            plain = without_locations(line).rstrip()
            yield plain, None if found is None else (found[1], found[2])


def _short(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2]


def _edits(before: Sequence[str], after: Sequence[str]) -> list[list[Any]]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if len(before) * len(after) > 4_000_000:  # long texts: what is rare is enough
        matcher = difflib.SequenceMatcher(None, before, after)
    return [
        [first, last - first, [*after[start:end]]]
        for kind, first, last, start, end in matcher.get_opcodes()
        if kind != "equal"
    ]


def kernels_of(stages: dict[str, str]) -> dict[str, dict[str, str]]:
    """The text of each kernel by its symbol, and by stage."""
    found: dict[str, dict[str, str]] = {}
    for stage, text in stages.items():
        for name, part in _functions(text):
            found.setdefault(name, {})[stage] = part
    return found


def _functions(text: str) -> Iterator[tuple[str, str]]:
    """Each function of a module: it ends at a brace as far in as it begins."""
    lines = text.splitlines()
    start, name, pad = -1, "", ""
    for number, line in enumerate(lines):
        head = re.match(r"(\s*)(?:func|llvm)\.func .*?@([\w.$]+)", line)
        if start < 0 and head is not None and line.endswith("{"):
            start, name, pad = number, head[2], head[1]
        elif start >= 0 and line.startswith(f"{pad}}}"):
            yield name, "\n".join(lines[start : number + 1])
            start = -1
