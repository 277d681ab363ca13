"""What a compilation says while it runs: stages with their times, and their steps.

The driver talks to a `Listener`; it does not know where the words go. On a terminal a
bar shows how many kernels are done; elsewhere every stage is one plain line without
control codes, and one more for each five seconds that it takes.
"""

import os
import sys
from importlib.util import find_spec
from threading import Event, Thread
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import TaskID

_SLOW = 1.0
"""A step that takes longer than this, in seconds, gets a plain line of its own."""
_PATIENCE = 5.0
"""Seconds after which a stage says that it is still at work, and at what."""


class Listener(Protocol):
    """What the driver tells while it compiles. Stages do not nest."""

    def stage_started(self, name: str) -> None:
        """The stage `name` ("typed", "kernels") begins."""
        ...

    def stage_done(self, name: str, seconds: float, detail: str) -> None:
        """It is over; `detail` says in a few words what came out."""
        ...

    def step_done(self, index: int, total: int, name: str, seconds: float) -> None:
        """`index` of `total` steps are done: `name`, `seconds` after the last.

        The steps of `source` are functions, those of `kernels` kernels.
        """
        ...


class PlainProgress:
    """One line a stage, written when the stage is done; also for what takes long."""

    def __init__(self, out: TextIO | None = None, patience: float = _PATIENCE):
        """Write to `out`, by default stderr; after `patience` seconds at the latest."""
        self._out = sys.stderr if out is None else out
        self._patience = patience
        self._over = Event()
        self._said = self._started = perf_counter()
        self._step = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()

    def stage_started(self, name: str) -> None:
        """Nothing yet: the line comes with the time, or when it takes long."""
        self._over.set()  # of a stage that failed
        self._over, self._step = Event(), ""
        self._said = self._started = perf_counter()
        Thread(target=self._tell, args=(name, self._over), daemon=True).start()

    def stage_done(self, name: str, seconds: float, detail: str) -> None:
        """One line."""
        self._over.set()
        self._write(stage_line(name, seconds, detail))

    def step_done(self, index: int, total: int, name: str, seconds: float) -> None:
        """One line if it took long, so that nobody asks whether it hangs."""
        self._step = f"after {name}"
        if seconds >= _SLOW:
            self._write(stage_line(f"  {index}/{total}", seconds, name))

    def _tell(self, stage: str, over: Event) -> None:
        """Say that a stage is at work, whenever nothing has been said for long."""
        while not over.wait(self._said + self._patience - perf_counter()):
            now = perf_counter()
            if now >= self._said + self._patience:
                line = stage_line(f"  {stage}", now - self._started, self._step)
                self._write(f"{line} ...")

    def _write(self, line: str) -> None:
        self._said = perf_counter()
        print(line, file=self._out, flush=True)


class RichProgress:
    """The same lines above a bar that shows how many kernels are done."""

    def __init__(self, out: TextIO | None = None):
        """Draw on `out`, a terminal, by default stderr. ImportError: no `rich`."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self._progress = Progress(
            TextColumn(" {task.fields[stage]:<11}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(file=sys.stderr if out is None else out, highlight=False),
            transient=True,
        )
        self._bar: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def stage_started(self, name: str) -> None:
        """Show the stage's name with a bar that has no length yet."""
        self._bar = self._progress.add_task("", total=None, stage=name)

    def stage_done(self, name: str, seconds: float, detail: str) -> None:
        """Replace the bar by the stage's line."""
        self._remove_bar()
        line = stage_line(name, seconds, detail)
        self._progress.console.print(line, markup=False, soft_wrap=True)

    def step_done(self, index: int, total: int, name: str, seconds: float) -> None:
        """Move the bar on."""
        if self._bar is not None:
            self._progress.update(
                self._bar, completed=index, total=total, description=name
            )

    def _remove_bar(self) -> None:
        if self._bar is not None:
            self._progress.remove_task(self._bar)
            self._bar = None


def stage_line(name: str, seconds: float, detail: str) -> str:
    """` typed          0.21 s   412 ops`."""
    return f" {name:<11} {seconds:7.2f} s   {detail}".rstrip()


def progress_on(out: TextIO) -> PlainProgress | RichProgress:
    """The listener that suits `out`.

    Plain if `out` is no terminal, if `NO_COLOR` is set to anything, if the terminal
    is `dumb`, or without the package `rich`.
    """
    plain = (
        not out.isatty()
        or bool(os.environ.get("NO_COLOR"))
        or os.environ.get("TERM") == "dumb"
        or find_spec("rich") is None
    )
    return PlainProgress(out) if plain else RichProgress(out)
