"""A profile that is given back to the compiler: which side of a decision is likely.

`note_likely_sides` writes it to the decisions of a module, as `dycl.likely`; the native
host is laid out so that the likely side falls through. Only counts decide: profiles
with the same counts, whatever their times, give the same bytes.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute

from dycl.diag import CompileError, SourceLoc
from dycl.ir import IfOp, WhileOp
from dycl.ir.dialect.decisions import LIKELY
from dycl.ir.functions import OURS
from dycl.ir.row_marks import ROW_COUNTS, ROWS, rows_attr
from dycl.ir.walking import walk
from dycl.options import AUTO, CompileOptions
from dycl.report import Graph, ProfileMismatch, measure, read_profile
from dycl.runtime import profile as profiled

_CLEAR = 0.75
"""The share of a side from which on it is likely: below, nothing is said."""

Counts = Mapping[str, Any]
"""What `Profile.data` gives."""


def counts_of(profile: Any, compiled: Callable[[], Any]) -> Counts:
    """The counts of what a user gives as a profile.

    That is a file of `Profile.save`, a `Profile` or its data; or a list of tuples, the
    arguments of some calls, which the network is profiled with: `compiled` makes it.
    CompileError (DY506): it is no profile. OSError: the file cannot be read.
    """
    if isinstance(profile, (str, Path)):
        try:
            return read_profile(Path(profile))
        except ProfileMismatch as error:
            raise CompileError("DY506", str(error)) from error
    if isinstance(profile, (list, tuple)):
        return _sampled(cast("Sequence[Any]", profile), compiled)
    found: Any = profile.data() if hasattr(profile, "data") else profile
    if isinstance(found, Mapping) and "decisions" in found:
        return cast("Counts", found)
    raise CompileError(
        "DY506",
        f"a {type(profile).__name__} is no profile",
        hint="give what `dycl profile -o` wrote, a dycl.Profile, or a list of tuples: "
        "the arguments of some calls",
    )


def undivided(options: CompileOptions) -> CompileOptions:
    """Options for the network that samples are run with.

    Kernels that are yet to be placed are our own in it: those of a network that is
    divided are others, of which a profile says nothing of what to divide.
    """
    return options.with_changes(backend=OURS) if options.backend == AUTO else options


def _sampled(calls: Sequence[Any], compiled: Callable[[], Any]) -> Counts:
    """What a network does on samples."""
    if not calls or not all(isinstance(args, tuple) for args in calls):
        raise CompileError(
            "DY506",
            "samples of a profile are a list of tuples, the arguments of a call each",
        )
    net = compiled()
    with profiled(net) as found:
        for args in calls:
            net(*args)
    return found.data()


def row_marks(rows: Sequence[str], profile: Counts | None) -> dict[str, Attribute]:
    """What an entry function whose inputs `rows` have rows says of them. CompileError
    (DY506): it is no profile."""
    if not rows:
        return {}
    marks: dict[str, Attribute] = {ROWS: rows_attr(rows)}
    if profile is not None:
        marks[ROW_COUNTS] = _row_counts(profile)
    return marks


def _row_counts(profile: Counts) -> Attribute:
    """Which way rows went: `dycl.row_counts` of an entry function.

    A profile of a network that goes row by row counts rows as calls. CompileError
    (DY506): it is no profile.
    """
    try:
        if (rows := profile.get("rows")) is not None:
            count = rows["count"]
            found = [(d, d["true"], d["false"]) for d in rows["decisions"]]
        else:
            count = profile["calls"]["count"]
            sides = ("true", "false")
            found = [
                (d, *(d[side]["count"] for side in sides)) for d in profile["decisions"]
            ]
        decisions = [
            ArrayAttr[Attribute](
                [
                    *(StringAttr(d[key]) for key in ("name", "file")),
                    *(IntegerAttr(number, i64) for number in (d["line"], yes, no)),
                ]
            )
            for d, yes, no in found
        ]
    except (LookupError, TypeError) as error:
        raise another(str(error)) from error
    return DictionaryAttr(
        {"rows": IntegerAttr(count, i64), "decisions": ArrayAttr(decisions)}
    )


def note_likely_sides(
    module: ModuleOp,
    graph: Graph | None,
    profile: Counts,
    rows: Mapping[str, Any] | None,
) -> str:
    """Write `dycl.likely` to decisions; what an artifact records of the profile.

    `graph`: of the network; None: launches have been compared with the profile's.
    `rows` is what `row_form` gives. If they are computed together now, and were not in
    the profile, or the other way round, nothing is written: the decisions are others.
    CompileError (DY506): the profile is of another network.
    """
    is_grouped = rows is not None and rows["form"] != "one by one"
    if rows is not None and is_grouped != ("rows" in profile):
        return _recorded(profile)
    try:
        if graph is not None:
            measure(graph, profile)
        recorded = _recorded(profile)
    except (ProfileMismatch, LookupError, TypeError) as error:
        raise another(str(error)) from error
    waiting: dict[tuple[str, str], list[IfOp | WhileOp]] = defaultdict(list)
    for op in walk(module):
        if isinstance(op, (IfOp, WhileOp)) and op.is_decision:
            waiting[op.decision_name, _place(op)].append(op)
    if sum(map(len, waiting.values())) != len(profile["decisions"]):
        raise another("it has another number of decisions")
    for entry in profile["decisions"]:
        place = f"{entry['file']}:{entry['line']}" if entry["file"] else ""
        if not (alike := waiting[entry["name"], place]):
            raise another(f"here is no {entry['name'] or 'decision'} at {place}")
        op, yes = alike.pop(0), entry["true"]["count"]
        both = yes + entry["false"]["count"]
        if both and max(yes, both - yes) >= _CLEAR * both:
            op.attributes[LIKELY] = IntegerAttr.from_bool(2 * yes > both)
    return recorded


def _recorded(profile: Counts) -> str:
    return f"{profile['calls']['count']} calls, sha256 {_digest(profile)}"


def _digest(profile: Counts) -> str:
    """Of the counts."""
    counts = [[d["true"]["count"], d["false"]["count"]] for d in profile["decisions"]]
    told: list[Any] = [profile["calls"]["count"], counts]
    if "rows" in profile:
        told += [[d["true"], d["false"]] for d in profile["rows"]["decisions"]]
    text = json.dumps(told)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _place(op: IfOp | WhileOp) -> str:
    at = SourceLoc.of(op)
    return "" if at is None else f"{at.file.rpartition('/')[2]}:{at.line}"


def another(why: str) -> CompileError:
    """What to raise (DY506) for a profile that does not fit."""
    return CompileError(
        "DY506",
        f"the profile is of another network: {why.removeprefix(_ANOTHER)}",
        hint="profile this network, as it is compiled now: dycl profile NET -o P.json",
    )


_ANOTHER = "the profile is of another network: "
