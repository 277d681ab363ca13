"""`docs/fuzz.md`: which programs were tried, on which commit, with what result."""

from pathlib import Path

from tools.commits import commit

KINDS = ("same", "unraised", "refused", "useless")
_HEAD = """\
# Random programs

`python -m tools.fuzz --note docs/fuzz.md` added these lines. A program of a seed is
always the same; its inputs lie also on its constants and one ulp beside, and are NaN,
infinite, -0.0, denormal and equal. It is run by eager, the interpreter, both hosts and,
one in four, loaded from its file. *Refused*: at compile time, with a place. *Useless*:
eager does not end, or raises for each input. *Unraised*: a value that nothing uses is
not computed, nor what it would raise. `python -m tools.fuzz --show SEED` prints one.

| seeds | commit | programs | same | unraised | refused | useless | failing |
| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |
"""


def note(page, seeds, kinds, failing):
    """Add a line to the page: a range of seeds, counts by kind, the failing seeds."""
    path = Path(page)
    if not path.exists():
        path.write_text(_HEAD)
    counts = " | ".join(str(kinds.get(kind, 0)) for kind in KINDS)
    tried = f"{seeds.start} to {seeds.stop - 1}"
    if seeds.step > 1:
        tried += f", one of {seeds.step}"
    shown = ", ".join(map(str, failing)) or "none"
    total = sum(kinds.values())
    with path.open("a") as file:
        file.write(f"| {tried} | {commit()} | {total} | {counts} | {shown} |\n")
