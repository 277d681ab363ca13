"""What a corpus is made of."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Program:
    """A model of a library; `make` gives the module, its arguments and keywords.

    `make` runs in the process that judges, under a fixed seed, more than once.
    """

    library: str
    name: str
    make: Callable[[], tuple[Any, tuple[Any, ...], dict[str, Any]]]


@dataclass
class Result:
    """What became of a program: a line of the file of results."""

    library: str
    name: str
    verdict: str
    """`same`, `refused`, `wrong`, `bug` (an internal error, or what calling raised that
    eager does not raise), `died`, `late` (out of time), or why it does not count:
    `eager fails`, `random`."""
    dynamic: bool = False
    """Whether eager reads numbers, truths or sizes out of tensors."""
    code: str = ""
    """Of a refusal: of its first cause."""
    cause: str = ""
    """The headline of the first cause, or how the answer differs."""
    where: str = ""
    """The line of source that is refused."""
    others: int = 0
    """How many refusals there are besides."""
    calls: int = 0
    """How many inputs were compared."""
    decisions: int = 0
    """How many decisions were seen in the calls."""
    both: int = 0
    """How many of these went both ways."""
    seconds: float = 0.0
    """Processor time of the compilation."""

    @property
    def counts(self) -> bool:
        """Whether it is a program that can be compiled and compared."""
        return self.verdict not in ("eager fails", "random")

    def to_json(self) -> dict[str, Any]:
        """What is written, without what is empty."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> "Result":
        """What `to_json` gave; what a later version wrote besides is left out."""
        known = {one.name for one in fields(cls)}
        return cls(**{name: value for name, value in found.items() if name in known})
