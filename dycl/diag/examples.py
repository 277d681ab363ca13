"""For error codes: what is refused so, and what says the same and is taken.

Three files have them, by what an example is: methods of a `torch.nn.Module`
(`examples.txt`), a script (`script_examples.txt`), or a command line and the files that
it reads (`command_examples.txt`), for what no model of a user's shows. `dycl explain
CODE` shows them, and a test runs each.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Kind = Literal["model", "script", "command"]
KINDS: dict[Kind, str] = {
    "model": "examples.txt",
    "script": "script_examples.txt",
    "command": "command_examples.txt",
}
"""What the examples of a file are."""


@dataclass(frozen=True)
class Example:
    """Two texts of one kind."""

    kind: Kind
    refused: str
    taken: str

    def __str__(self) -> str:
        parts = ("refused:", _indented(self.refused), "", "taken:")
        return "\n".join((*parts, _indented(self.taken)))


def command_of(text: str) -> tuple[str, dict[str, str]]:
    """The command line of an example, and the files that it reads, by name."""
    first, *files = f"\n{text}".split("\n> ")
    named = (file.partition("\n") for file in files)
    return first.strip().removeprefix("$ "), {name: body for name, _, body in named}


@cache
def examples() -> dict[str, Example]:
    """Code -> its example."""
    return dict(sorted(example for kind in KINDS for example in _read(kind)))


def _read(kind: Kind) -> Iterator[tuple[str, Example]]:
    text = (Path(__file__).parent / KINDS[kind]).read_text(encoding="utf-8")
    for part in text.split("=== ")[1:]:
        code, _, rest = part.partition("\n")
        refused, taken = rest.split("--- instead\n")
        yield code, Example(kind, refused, taken)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())
