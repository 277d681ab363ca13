"""Which code a refusal of an op has, where all that is known of it is said in words.

DY301 is what is left: what an op gives is not known. Users search for codes, so the
reasons that are met most have their own.
"""

import re
from collections.abc import Mapping

UNKNOWN = "DY301"
EAGER_RAISES = "eager raises this, too"
"""How the remedy begins where eager raises as well, with any elements."""

_KINDS: Mapping[str, re.Pattern[str]] = {
    "DY305": re.compile(
        r"'\w+' object has no attribute|there is no `torch[\w.]*`|KeyError"
    ),
    "DY306": re.compile(r"draws random numbers"),
    "DY307": re.compile(r"this changes a tensor that"),
    "DY308": re.compile(r"the order of a set's items|a set that is changed"),
    "DY309": re.compile(
        r"a call of `[a-z]|`\.numpy\(\)`|with a NumPy number|an array of NumPy's"
    ),
}


def code_of(code: str, what: str, help: str) -> str:
    """The code of a refusal in these words; one that has another keeps it."""
    if code != UNKNOWN:
        return code
    if help.startswith(EAGER_RAISES):
        return "DY305"
    return next((kind for kind, form in _KINDS.items() if form.search(what)), code)
