"""The phases: which passes run, in which order, and why. Data, and how to expand it.

`expand("normalise,cse")` gives text that can be pasted after `dycl-opt -p`. A phase
may name phases. The order of lines is the order of passes; whoever moves one checks
the reason beside it and beside its neighbours.
"""

import re
from collections.abc import Collection
from typing import NamedTuple


class Entry(NamedTuple):
    """One step of a phase: a pass, with options if need be, or another phase."""

    what: str
    why: str


NORMALISE_ROUND: tuple[Entry, ...] = (
    Entry("dycl-inline-calls", "first: bodies bring the loops and ifs to work on"),
    Entry("dycl-unroll-loops", "each copy of a body knows which block it works on"),
    Entry("dycl-infer-shapes", "x.shape and x.dim() become constants to fold"),
    Entry("dycl-propagate-constants", "settles what the model object decides"),
    Entry("dycl-select-elements", "after constants: those elements are not chosen"),
    Entry("dycl-lower-switches", "at once: the other passes know ifs best"),
    Entry("dycl-propagate-constants", "what a switch decided is known in its arms"),
    Entry("dycl-settle-tries", "before simplify-control, which takes its answer"),
    Entry("dycl-simplify-control", "ifs with a constant predicate lose a branch"),
    Entry("dycl-lower-ranges", "after constants: a known range is unrolled instead"),
    Entry("dycl-scalarize-records", "a field read is an item of a tuple, as below"),
    Entry("dycl-expand-builtins", "before the lists that they read go"),
    Entry("dycl-scalarize-aggregates", "list and dict elements become plain values"),
    Entry("dycl-structure-exits", "after dead branches are gone: fewer exits to move"),
    Entry("dycl-eliminate-dead-code", "less to look at in the next round"),
    Entry("dycl-lift-state", "last: when all else is done, it waits no longer"),
)
"""What `normalise` repeats: each of these uncovers work for the others."""

NORMALISE_LAST: tuple[Entry, ...] = (
    Entry("dycl-peel-loops", "leaves joins of loops entered and not to the next"),
    Entry("dycl-specialize-joins", "copies code, so only where all else has failed"),
    Entry("dycl-carry-lists", "a list that is not known by now depends on data"),
)
"""What `normalise` tries when a round has changed nothing; then the rounds go on."""


def _repeat(steps: tuple[Entry, ...], when_stable: tuple[Entry, ...]) -> str:
    passes, last = (
        ",".join(step.what for step in some) for some in (steps, when_stable)
    )
    return f"dycl-repeat{{passes={passes} when-stable={last}}}"


PHASES: dict[str, tuple[Entry, ...]] = {
    "normalise": (
        Entry(
            _repeat(NORMALISE_ROUND, NORMALISE_LAST),
            "to a fixed point: inlining uncovers loops, loops constants, these calls",
        ),
        Entry("dycl-eliminate-dead-code", "also when a round was cut short by -d"),
        Entry("dycl-check-normal", "says in a sentence what is not in normal form"),
    ),
    "type": (
        Entry("dycl-infer-shapes", "modules are expanded for known input shapes"),
        Entry("dycl-expand-modules", "leaf modules and functions become torch.aten"),
        Entry("dycl-eliminate-dead-code", "module values have no user any more"),
        Entry("dycl-check-typed", "torch-mlir aborts the process on untyped IR"),
    ),
    "partition": (
        Entry("dycl-share-subexpressions", "before outlining: across decisions"),
        Entry("dycl-hoist-computation-free", "before outlining: no kernel for a view"),
        Entry("dycl-eliminate-dead-code", "what only dropped copies needed"),
        Entry("dycl-outline-branches", "straight-line tensor code becomes kernels"),
        Entry("dycl-share-kernels", "after outlining: equal blocks give equal kernels"),
        Entry("dycl-embed-literals", "after sharing: kernels take different literals"),
        Entry("dycl-mark-weights", "after sharing: at all launches of a shared kernel"),
        Entry("dycl-fold-batch-norm", "after the marks, and once for a shared kernel"),
        Entry("dycl-check-hcfg", "no tensor computation may be left on the host"),
    ),
    "host": (
        Entry("dycl-lower-host", "tensors become buffers; ifs stay what they are"),
        Entry("dycl-assign-layouts", "all uses of a buffer are in sight"),
        Entry("dycl-plan-memory", "last that changes a buffer: one arena for all"),
        Entry("dycl-check-host", "printing Python and C needs every value in a buffer"),
    ),
    "workspaces": (
        Entry("dycl-plan-memory", "again: compiled kernels say what memory they need"),
    ),
    "default": (
        Entry("normalise", "Python values away, only data-dependent decisions left"),
        Entry("type", "shapes and dtypes, torch.aten"),
        Entry("partition", "kernels and host apart"),
        Entry("host", "the program that launches the kernels"),
    ),
}
"""Phase name -> its steps."""


def expand(spec: str, without: Collection[str] = ()) -> str:
    """The passes of a pipeline with every phase name replaced, as pipeline text.

    Passes named in `without` are left out, also inside `dycl-repeat`; a repetition
    with nothing left to repeat goes too. Pass names are not checked here.
    ValueError: a phase is given options.
    """
    items: list[str] = []
    for item in split(spec):
        name = pass_name(item)
        if name in without:
            continue
        if name not in PHASES:
            items.append(_reduce(item, without) if name == "dycl-repeat" else item)
        elif item != name:
            raise ValueError(f"'{name}' is a phase and takes no options: '{item}'")
        else:
            items += [expand(entry.what, without) for entry in PHASES[name]]
    return ",".join(item for item in items if item)


def split(spec: str) -> list[str]:
    """Split pipeline text at the commas outside braces, brackets and quotes."""
    items = [""]
    depth = 0
    for piece in _PIECES.findall(spec):
        depth += (piece in "{[") - (piece in "}]")
        if piece == "," and depth == 0:
            items.append("")
        else:
            items[-1] += piece
    return [item.strip() for item in items if item.strip()]


def pass_name(item: str) -> str:
    """The name in front of the options of one pipeline item."""
    return re.split(r"[{\[\s]", item, maxsplit=1)[0]


def repeated(item: str) -> list[str]:
    """The passes that one `dycl-repeat{...}` item runs, each as pipeline text."""
    lists = [found[2] for found in _REPEATED.finditer(item)]
    values: list[str] = [value for text in lists for value in _VALUES.findall(text)]
    return [inner for value in values for inner in split(value.strip('"'))]


_PIECES = re.compile(r'"(?:\\.|[^"\\])*"|[^{}\[\],"]+|.', re.DOTALL)
_VALUE = r'(?:"[^"]*"|[\w-]+)'
_VALUES = re.compile(_VALUE)
_REPEATED = re.compile(rf" ?\b(passes|when-stable)=({_VALUE}(?:,{_VALUE})*)")


def _reduce(item: str, without: Collection[str]) -> str:
    """A `dycl-repeat` item less the passes in `without`; empty if none is left."""

    def kept(found: re.Match[str]) -> str:
        passes = repeated(f"passes={found[2]}")
        left = [inner for inner in passes if pass_name(inner) not in without]
        if left == passes:
            return found[0]
        values = ",".join(f'"{inner}"' if "{" in inner else inner for inner in left)
        space = " " if found[0].startswith(" ") else ""
        return f"{space}{found[1]}={values}" if left else ""

    return "" if not _rounds(text := _REPEATED.sub(kept, item)) else text


def _rounds(item: str) -> bool:
    """Whether a `dycl-repeat` item still has passes to repeat."""
    return any(found[1] == "passes" for found in _REPEATED.finditer(item))
