"""Names of the user's as names of values in the text, which are of ASCII."""

import re
import unicodedata

_OTHER = re.compile(r"[^A-Za-z0-9_]")
_NUMBERS = re.compile(r"(_\d+)+$")
"""xDSL takes one of several from a hint, and prints `x_1` for a second `x` though there
may be a hint `x_1`."""


def value_name(text: str) -> str:
    """The hint for the name of a value: `p0_n` for `0.n`, `sigma` for that letter,
    `x` for `x_1_0`."""
    result = _NUMBERS.sub("", _OTHER.sub("_", in_ascii(text)))
    return f"p{result}" if not result or result[0].isdigit() else result


def in_ascii(text: str) -> str:
    """The text in letters of ASCII: `grosse`, `sigma`; `_` for what has none."""
    return text if text.isascii() else "".join(map(_in_ascii, text))


def _in_ascii(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter == "ß":
        return "ss"
    if plain := unicodedata.normalize("NFKD", letter).encode("ascii", "ignore"):
        return plain.decode()
    name = unicodedata.name(letter, "").split(" WITH ")[0]
    return name.rpartition(" ")[2].lower() if name.startswith("GREEK") else "_"
