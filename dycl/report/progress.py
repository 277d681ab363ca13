"""What a compilation says while it runs: stages with their times, and its kernels.

The driver talks to a `Listener`; it does not know where the words go. On a terminal a
bar shows how many kernels are done; elsewhere every stage is one plain line without
control codes.
"""

import os
import sys
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import TaskID

_SLOW = 1.0
"""A kernel that takes longer than this, in seconds, gets a plain line of its own."""


class Listener(Protocol):
    """What the driver tells while it compiles. Stages do not nest."""

    def stage_started(self, name: str) -> None:
        """The stage `name` ("typed", "kernels") begins."""
        ...

    def stage_done(self, name: str, seconds: float, detail: str) -> None:
        """It is over; `detail` says in a few words what came out."""
        ...

    def step_done(self, index: int, total: int, name: str, seconds: float) -> None:
        """`index` of `total` kernels are done: `name`, `seconds` after the last."""
        ...


class PlainProgress:
    """One line a stage, written when the stage is done; also for slow kernels."""

    def __init__(self, out: TextIO | None = None):
        """Write to `out`, by default stderr."""
        self._out = sys.stderr if out is None else out

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def stage_started(self, name: str) -> None:
        """Nothing yet: the line comes with the time."""

    def stage_done(self, name: str, seconds: float, detail: str) -> None:
        """One line."""
        print(stage_line(name, seconds, detail), file=self._out, flush=True)

    def step_done(self, index: int, total: int, name: str, seconds: float) -> None:
        """One line if it took long, so that nobody asks whether it hangs."""
        if seconds >= _SLOW:
            line = stage_line(f"  {index}/{total}", seconds, name)
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
