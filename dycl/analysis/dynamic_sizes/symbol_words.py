"""What torch says of sizes, in the words of those who do not know its symbols."""

import re

_SYMBOL = re.compile(r"\b[su]\d+\b")
"""How torch calls a dynamic size."""
NO_VIEW = re.compile(r"shape '(\[.*\])' is invalid for input of size (.*)")
_VIEW_OF_SIZES = r"whether \2 elements have a view of shape \1 depends on the input"
OF_INPUT = " that the input decides)"
"""How a text ends in which `in_letters` has replaced symbols."""
VIEW_OF_NUMBERS = (
    "whether this tensor has a view of this shape depends on a number that the input "
    "decides"
)
"""What torch says of the sizes that it was asked with need not hold for others."""


def in_letters(text: str) -> str:
    """torch's text with letters for its symbols, and what they are."""
    names: dict[str, str] = {}

    def letter(match: re.Match[str]) -> str:
        return names.setdefault(match[0], "nmkpqr"[min(len(names), 5)])

    text_in_letters = _SYMBOL.sub(letter, text)
    if not names:
        return text_in_letters
    text_in_letters = NO_VIEW.sub(_VIEW_OF_SIZES, text_in_letters)
    letters = ", ".join(dict.fromkeys(names.values()))
    are = "is a size" if len(names) == 1 else "are sizes"
    return f"{text_in_letters} ({letters} {are}{OF_INPUT}"
