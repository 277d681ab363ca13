"""What a check has found, as data and as text."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

from dycl.checking.paths import Margin, PathDifference
from dycl.checking.runs import Launch
from dycl.checking.values import Error, Leaf, worst
from dycl.runtime import Decision

SHOWN_MARGINS = 5
"""How many decisions the text shows: those that came closest to turning."""


@dataclass(frozen=True)
class CallCheck:
    """One call of the network against the same call in eager."""

    path: tuple[Decision, ...]
    """The decisions of the network."""
    values: tuple[Leaf, ...] = ()
    """Every value that is returned, against eager's."""
    left: tuple[Leaf, ...] = ()
    """What differs of the arguments and the state after the call."""
    raised: tuple[str, str] = ("", "")
    """What the network raises, and what eager raises; "": nothing."""
    path_difference: PathDifference | None = None
    launches: tuple[Launch, ...] = ()
    """Every launch of a kernel where it is right; (): they were not compared."""
    margins: tuple[Margin, ...] = ()
    """How close each decision on an ordering came to its threshold, in order."""
    host_differs: bool = False
    """Whether the network gives another result than its own kernels in the order of its
    program: the error is in its host."""
    program_differs: bool = False
    """Whether the interpreter gives another result than eager: the error is made before
    there are kernels, or the model is another one."""
    notes: tuple[str, ...] = ()
    """What could not be compared, and why."""
    tolerance: float | None = None
    name: str = ""
    """Which call, and of which row; "": there is one."""

    @property
    def drift(self) -> Launch | None:
        """The first launch whose kernel makes an error that is more than rounding."""
        return next((launch for launch in self.launches if launch.drifts), None)

    @property
    def wrong(self) -> tuple[Leaf, ...]:
        """The values that are not eager's."""
        return tuple(leaf for leaf in self.values if not leaf.within(self.tolerance))

    @property
    def ok(self) -> bool:
        """Whether values, path, arguments and state are those of eager, and no kernel
        drifts."""
        return not (
            self.wrong
            or self.left
            or self.raised[0] != self.raised[1]
            or self.path_difference is not None
            or self.drift is not None
            or self.host_differs
        )

    @property
    def error(self) -> Error | None:
        """The largest error of a value that is returned. None: there is no number."""
        return worst(self.values)

    def __str__(self) -> str:
        """Some lines, each with what it is about."""
        return "\n".join(f"{head:9} {text}" for head, text in self._lines())

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "values", self._values()
        for leaf in (*self.wrong, *self.left):
            yield "", f"{leaf.name}: {leaf.wrong or leaf.error}"
        if self.path_difference is not None:
            yield "path", f"differs at {self.path_difference}"
        else:
            yield "path", f"{_count(len(self.path), 'decision')}, as in eager"
        yield from self._kernel_lines()
        yield from self._margin_lines()
        for note in self.notes:
            yield "note", note

    def _values(self) -> str:
        if self.raised[0] != self.raised[1]:
            here, eager = (what or "nothing" for what in self.raised)
            return f"differ: {here} is raised here, {eager} in eager"
        if self.raised[0]:
            return f"equal: {self.raised[0]} is raised, as in eager"
        error = "" if self.error is None else f", largest error {self.error}"
        differ = self.wrong or self.left or self.host_differs
        return f"{'differ' if differ else 'equal'}{error}"

    def _kernel_lines(self) -> Iterator[tuple[str, str]]:
        if not self.launches:
            return
        largest = max(self.launches, key=lambda launch: launch.own.relative)
        if (drift := self.drift) is not None:
            yield "kernels", f"the first that drifts: {drift}"
            if drift.lines:
                yield "", f"it computes {', '.join(drift.lines)}"
            yield from (("", line) for line in drift.frame.splitlines())
        else:
            count = _count(len(self.launches), "launch", "launches")
            yield "kernels", f"{count}, none drifts; the largest error: {largest}"
        if self.host_differs:
            yield "host", "gives another result than its own kernels in their order"
        elif self.program_differs and self.drift is None:
            yield (
                "program",
                "the interpreter, too, gives another result than eager: the model is "
                "another one than was compiled, or the passes changed it (`dycl-opt "
                "--same-answer` finds the pass)",
            )

    def _margin_lines(self) -> Iterator[tuple[str, str]]:
        exact = [margin for margin in self.margins if not margin.error]
        order = sorted(
            (margin for margin in self.margins if margin.error),
            key=lambda margin: (not margin.may_flip, margin.margin / margin.error),
        )
        often = Counter(margin.decision.name for margin in self.margins)
        lines = [
            f"{margin}, decision {margin.index + 1} of the path"
            if often[margin.decision.name] > 1
            else str(margin)
            for margin in order[:SHOWN_MARGINS]
        ]
        if more := order[SHOWN_MARGINS:]:
            lines.append(f"and {_count(len(more), 'decision')} with more")
        if exact:
            lines.append(f"{_count(len(exact), 'decision')} on whole numbers, exact")
        lines += self._without_margin()
        for number, line in enumerate(lines):
            yield "" if number else "margins", line

    def _without_margin(self) -> Iterator[str]:
        """The decisions of which it is not known how close they came."""
        if self.path_difference is not None or not self.launches:
            return  # Places in the two paths are not the same, or nothing was seen.
        known = {margin.index for margin in self.margins}
        rest = [one for place, one in enumerate(self.path) if place not in known]
        tests = dict.fromkeys(f"{d.test} ({d.file}:{d.line})" for d in rest)
        if rest:
            more = len(tests) - SHOWN_MARGINS
            shown = ", ".join([*tests][:SHOWN_MARGINS])
            tail = f", and {more} more" if more > 0 else ""
            yield f"none for {_count(len(rest), 'decision')}: {shown}{tail}"


@dataclass(frozen=True)
class CheckResult:
    """A compiled network against eager, on some calls; `str()` is a report."""

    calls: tuple[CallCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether the network did in every call what eager does."""
        return all(call.ok for call in self.calls)

    @property
    def drift(self) -> Launch | None:
        """The first kernel that drifts, of all calls."""
        return next((c.drift for c in self.calls if c.drift is not None), None)

    @property
    def path_difference(self) -> PathDifference | None:
        """The first decision that differs, of all calls."""
        found = (call.path_difference for call in self.calls)
        return next((one for one in found if one is not None), None)

    @property
    def margins(self) -> tuple[Margin, ...]:
        """The margins of all calls, in order."""
        return tuple(margin for call in self.calls for margin in call.margins)

    def __str__(self) -> str:
        """A report: the verdict, then some lines for each call."""
        verdict = "equal to eager" if self.ok else "differs from eager"
        parts = [verdict]
        for call in self.calls:
            parts += [call.name] if call.name else []
            parts.append(str(call))
        return "\n".join(parts)

    def to_json(self) -> dict[str, Any]:
        """All of it as what `json.dumps` takes: numbers that are not finite as text."""
        return {"ok": self.ok, "calls": [_call_data(call) for call in self.calls]}


def _call_data(call: CallCheck) -> dict[str, Any]:
    drift = call.drift
    return {
        "name": call.name,
        "ok": call.ok,
        "values": _data(call.values),
        "left": _data(call.left),
        "raised": {"here": call.raised[0], "eager": call.raised[1]},
        "path": _data(call.path),
        "path_difference": _data(call.path_difference),
        "drift": None if drift is None else drift.index,
        "launches": _data(call.launches),
        "margins": [
            {**_data(m), "margin": _data(m.margin), "may_flip": m.may_flip}
            for m in call.margins
        ],
        "host_differs": call.host_differs,
        "program_differs": call.program_differs,
        "notes": list(call.notes),
    }


def _data(value: Any) -> Any:
    """Dataclasses as dicts; a field that plays no part in comparisons is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        shown = [field.name for field in fields(value) if field.compare]
        return {name: _data(getattr(value, name)) for name in shown}
    if isinstance(value, (tuple, list)):
        return [_data(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
