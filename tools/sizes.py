"""Print what is longer than it should be, longest first: candidates for a split.

Usage: python tools/sizes.py [LIMIT]     Python files above 300 lines, or LIMIT
       python tools/sizes.py --over      what the house rules do not allow in `dycl/`
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("dycl", "examples", "test", "tools", "bench")
MOST_OF_FILE, MOST_OF_CLASS, MOST_OF_FUNCTION = 400, 250, 60


def files_over(limit: int) -> Iterator[tuple[int, str]]:
    """The lines and the path of every Python file above `limit` lines."""
    for folder in FOLDERS:
        for file in (ROOT / folder).rglob("*.py"):
            lines = len(file.read_text(encoding="utf-8").splitlines())
            if lines > limit:
                yield lines, str(file.relative_to(ROOT))


def too_long(file: Path) -> Iterator[tuple[int, str]]:
    """A file, its classes and functions that are longer than the rules allow."""
    text, path = file.read_text(encoding="utf-8"), file.relative_to(ROOT)
    if (lines := len(text.splitlines())) > MOST_OF_FILE:
        yield lines, str(path)
    if file.suffix != ".py":
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ClassDef():
                limit = MOST_OF_CLASS
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                limit = MOST_OF_FUNCTION
            case _:
                continue
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > limit:
            yield lines, f"{path}:{node.lineno} {node.name}"


def over_in(folder: Path) -> list[tuple[int, str]]:
    """All of `too_long` in the Python and C files of a folder, by path."""
    files = (f for suffix in ("py", "c", "h") for f in folder.rglob(f"*.{suffix}"))
    return [each for file in sorted(files) for each in too_long(file)]


def main(argument: str = "300") -> None:
    """Print `lines  path`, longest first."""
    if argument == "--over":
        sizes = over_in(ROOT / "dycl")
    else:
        sizes = list(files_over(int(argument)))
    for lines, what in sorted(sizes, key=lambda size: (-size[0], size[1])):
        print(f"{lines:5}  {what}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
