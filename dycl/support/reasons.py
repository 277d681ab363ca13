"""Why something is refused: in words, and by the code that users search for.

Whoever finds the reason knows its code, and gives both as one value. Reasons are texts:
what hands one on need not know of codes, and a plain text has that of what is left,
DY301: what an op gives is not known. `dycl.diag.codes` says what the others mean.
"""

from typing import Self

UNKNOWN = "DY301"
EAGER_RAISES = "DY305"
RANDOM = "DY306"
WRITES = "DY307"
UNORDERED = "DY308"
FOREIGN = "DY309"


class Reason(str):
    """A reason with a code of its own; as a text, and compared, it is its words."""

    code: str

    def __new__(cls, text: str, code: str) -> Self:
        """Words, and one of the codes above."""
        self = super().__new__(cls, text)
        self.code = code
        return self

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        """For `pickle` and `copy`: errors go from one process to another."""
        return type(self), (str(self), self.code)


def code_of(reason: str) -> str:
    """The code of a reason."""
    return reason.code if isinstance(reason, Reason) else UNKNOWN


def reworded(reason: str, text: str) -> str:
    """The same reason in other words."""
    return Reason(text, reason.code) if isinstance(reason, Reason) else text
