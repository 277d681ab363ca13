"""Print the Python files above 300 lines, longest first: candidates for a split.

Usage: python tools/sizes.py [LIMIT]
"""

import sys
from pathlib import Path

FOLDERS = ("dycl", "examples", "test", "tools", "bench")


def main(limit: int = 300) -> None:
    """Print `lines  path` for every file of this repository above `limit` lines."""
    root = Path(__file__).resolve().parent.parent
    sizes = [
        (len(file.read_text(encoding="utf-8").splitlines()), file.relative_to(root))
        for folder in FOLDERS
        for file in (root / folder).rglob("*.py")
    ]
    for lines, file in sorted(sizes, key=lambda size: (-size[0], size[1])):
        if lines > limit:
            print(f"{lines:5}  {file}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
