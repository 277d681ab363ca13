"""A compiled network and its model against the clock, path by path."""

import copy
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from dycl.checking.checker import check
from dycl.checking.program import Net
from dycl.checking.result import CheckResult
from dycl.runtime import Decision, InputError

Given = tuple[tuple[Any, ...], dict[str, Any]]
"""What a call is given, by position and by name."""


@dataclass(frozen=True)
class Times:
    """The times of some calls, in microseconds."""

    calls: tuple[float, ...]

    @property
    def median(self) -> float:
        """The time that half of the calls stay below."""
        return median(self.calls)

    @property
    def least(self) -> float:
        """The shortest."""
        return min(self.calls)


@dataclass(frozen=True)
class PathTimes:
    """The calls of one path: by the network, and by the model in eager."""

    path: tuple[Decision, ...]
    inputs: int
    """How many of the inputs lead there."""
    here: Times
    eager: Times
    checked: CheckResult
    """One of these inputs, values and path against eager's."""

    @property
    def ratio(self) -> float:
        """How many times as long eager takes: medians."""
        return self.eager.median / self.here.median

    def to_json(self) -> dict[str, Any]:
        """As what `json.dumps` takes."""
        difference = self.checked.path_difference
        return {
            "path": [
                {"name": d.name, "test": d.test, "taken": d.taken, "line": d.line}
                for d in self.path
            ],
            "inputs": self.inputs,
            "dycl_us": {"median": self.here.median, "least": self.here.least},
            "eager_us": {"median": self.eager.median, "least": self.eager.least},
            "ratio": self.ratio,
            "equal": self.checked.ok,
            "path_equal": difference is None,
            "difference": "" if self.checked.ok else str(self.checked),
        }


@dataclass(frozen=True)
class PathTable:
    """All paths that the inputs took, the most frequent first."""

    rows: tuple[PathTimes, ...]
    threads: int

    @property
    def ok(self) -> bool:
        """Whether values and path were eager's on every path."""
        return all(row.checked.ok for row in self.rows)

    @property
    def ratio(self) -> float:
        """The geometric mean over the paths."""
        return math.exp(sum(math.log(row.ratio) for row in self.rows) / len(self.rows))

    def to_json(self) -> dict[str, Any]:
        """As what `json.dumps` takes."""
        rows = [row.to_json() for row in self.rows]
        return {
            "ok": self.ok,
            "threads": self.threads,
            "calls": len(self.rows[0].here.calls),
            "ratio": self.ratio,
            "paths": rows,
        }

    def __str__(self) -> str:
        """A table, and what differs below it."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        names = [_sides(row.path) for row in self.rows]
        wide = max(len("path"), *map(len, names))
        yield (
            f"{'path':{wide}}  inputs  {'dycl: median':>12} {'least':>9}  "
            f"{'eager: median':>13} {'least':>9}   ratio  equal"
        )
        for name, row in zip(names, self.rows, strict=True):
            here, eager = row.here, row.eager
            yield (
                f"{name:{wide}}  {row.inputs:6}  {_time(here.median):>12} "
                f"{_time(here.least):>9}  {_time(eager.median):>13} "
                f"{_time(eager.least):>9}  {row.ratio:5.2f}x  "
                f"{'yes' if row.checked.ok else 'NO'}"
            )
        calls, each = len(self.rows[0].here.calls), f"{self.threads} thread"
        yield (
            f"geometric mean {self.ratio:.2f}x; {calls} calls of each, in turns, "
            f"{each}{'' if self.threads == 1 else 's'}, eager in inference_mode"
        )
        for name, row in zip(names, self.rows, strict=True):
            if not row.checked.ok:
                yield f"\n{name} {row.checked}"


def time_paths(
    net: Net, model: Any, given: Sequence[Given], calls: int, threads: int = 1
) -> PathTable:
    """Time `calls` calls of each path, by turns; compare one call of each with eager.

    `given` has at least one call; those of a path are given in turn. Every call begins
    with the state as it was compiled, and with arguments of its own. torch runs on
    `threads` threads meanwhile. CheckError: the model is not the network's.
    """
    import torch

    groups: dict[tuple[tuple[str, int, bool], ...], list[Given]] = {}
    paths: list[tuple[Decision, ...]] = []
    for one in given:
        path = _path(net, one)
        key = tuple((d.name, d.line, d.taken) for d in path)
        if key not in groups:
            paths.append(path)
        groups.setdefault(key, []).append(one)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        rows = [
            _row(net, model, path, group, calls)
            for path, group in zip(paths, groups.values(), strict=True)
        ]
    finally:
        torch.set_num_threads(before)
        net.reset_state()
    return PathTable(tuple(sorted(rows, key=lambda row: -row.inputs)), threads)


def _path(net: Net, given: Given) -> tuple[Decision, ...]:
    net.reset_state()
    args, kwargs = copy.deepcopy(given)
    try:
        net(*args, **kwargs)
    except InputError:
        raise
    except Exception:  # One of the model's; whether eager raises it is checked.
        return net.path
    return net.path


def _row(
    net: Net,
    model: Any,
    path: tuple[Decision, ...],
    group: Sequence[Given],
    calls: int,
) -> PathTimes:
    args, kwargs = copy.deepcopy(group[0])
    checked = check(net, model, args, kwargs=kwargs)
    has_state = bool(net.state)
    run = model.module() if hasattr(model, "graph_module") else model
    here, eager = list[float](), list[float]()
    for number in range(-1, calls):  # The first of each is not counted.
        one = group[number % len(group)]
        net.reset_state()
        other = copy.deepcopy(run) if has_state else run
        turns = [(net, here), (_inference(other), eager)]
        for function, times in turns if number % 2 else reversed(turns):
            took = _timed(function, copy.deepcopy(one))
            if number >= 0:
                times.append(took)
    return PathTimes(path, len(group), Times(tuple(here)), Times(tuple(eager)), checked)


def _inference(model: Any) -> Callable[..., Any]:
    import torch

    def run(*args: Any, **kwargs: Any) -> Any:
        with torch.inference_mode():
            return model(*args, **kwargs)

    return run


def _timed(function: Callable[..., Any], given: Given) -> float:
    """Microseconds of a call; what it raises is part of it."""
    args, kwargs = given
    begin = time.perf_counter_ns()
    try:
        function(*args, **kwargs)
    except Exception:
        return (time.perf_counter_ns() - begin) / 1e3
    return (time.perf_counter_ns() - begin) / 1e3


def _sides(path: Sequence[Decision]) -> str:
    return "".join("FT"[d.taken] for d in path) or "(none)"


def _time(microseconds: float) -> str:
    if microseconds < 1e3:
        return f"{microseconds:.3g} us"
    return f"{microseconds / 1e3:.3g} ms"


def threads_of(options: Mapping[str, Any]) -> int:
    """How many threads a network was compiled for."""
    return int(options.get("threads", 1))
