"""For error codes: a model that is refused so, and one that says the same and is taken.

`examples.txt` has them, as methods of a `torch.nn.Module`; `dycl explain CODE` shows
them, and a test compiles each.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Example:
    """The methods of two modules."""

    refused: str
    taken: str

    def __str__(self) -> str:
        parts = ("refused:", _indented(self.refused), "", "taken:")
        return "\n".join((*parts, _indented(self.taken)))


@cache
def examples() -> dict[str, Example]:
    """Code -> its example."""
    text = (Path(__file__).parent / "examples.txt").read_text()
    found: dict[str, Example] = {}
    for part in text.split("=== ")[1:]:
        code, _, rest = part.partition("\n")
        refused, taken = rest.split("--- instead\n")
        found[code] = Example(refused, taken)
    return found


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())
