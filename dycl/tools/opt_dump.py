"""What `dycl-opt` shows of a run: diffs, numbered files, seconds per pass."""

import difflib
import sys
from io import StringIO
from pathlib import Path
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer


class IrDump:
    """Diffs on stderr and numbered files, for the passes that changed something."""

    def __init__(
        self,
        show_diff: bool,
        tree_dir: Path | None,
        generic: bool = False,
        debuginfo: bool = False,
    ):
        """Dump to stderr if `show_diff`, to `tree_dir` if given; both cost a print."""
        self.show_diff = show_diff
        self.tree_dir = tree_dir
        self.generic = generic
        self.debuginfo = debuginfo
        self._text = ""
        self._files = 0

    @property
    def wanted(self) -> bool:
        """Whether anything is dumped at all."""
        return self.show_diff or self.tree_dir is not None

    def start(self, module: ModuleOp) -> None:
        """Take the input of the pipeline."""
        if self.wanted:
            self._text = self._print(module)
            self._write("input")

    def after(self, label: str, name: str, module: ModuleOp, quiet: bool) -> None:
        """Show what the pass `name` did; `quiet`: say nothing if it did nothing."""
        if not self.wanted:
            return
        before, self._text = self._text, self._print(module)
        changed = before != self._text
        if changed:
            self._write(name)
        if self.show_diff and (changed or not quiet):
            note = "" if changed else " (no change)"
            print(f"// ---- {label}{note}", file=sys.stderr)
            sys.stderr.write(_diff(before, self._text))

    def _write(self, name: str) -> None:
        if self.tree_dir is not None:
            self.tree_dir.mkdir(parents=True, exist_ok=True)
            path = self.tree_dir / f"{self._files:02}-{name}.mlir"
            path.write_text(self._text, encoding="utf-8")
            self._files += 1

    def _print(self, module: ModuleOp) -> str:
        out = StringIO()
        Printer(
            out, print_generic_format=self.generic, print_debuginfo=self.debuginfo
        ).print_op(module)
        return out.getvalue() + "\n"


class Timing:
    """Seconds per step, summed over its runs; what is not a step is not counted."""

    def __init__(self) -> None:
        """Start the clock."""
        self._seconds: dict[str, float] = {}
        self._runs: dict[str, int] = {}
        self._start = perf_counter()

    def restart(self) -> None:
        """The next step begins now."""
        self._start = perf_counter()

    def stop(self, step: str) -> None:
        """The step that began last ends now."""
        seconds = perf_counter() - self._start
        self._seconds[step] = self._seconds.get(step, 0.0) + seconds
        self._runs[step] = self._runs.get(step, 0) + 1

    def table(self) -> str:
        """One line for each step, in the order of first runs, and the total."""
        total = sum(self._seconds.values())
        lines = ["  seconds  share  runs  step"]
        for step, seconds in self._seconds.items():
            share = 100 * seconds / total if total else 0.0
            lines.append(f"{seconds:9.4f} {share:5.1f}% {self._runs[step]:5}  {step}")
        return "\n".join([*lines, f"{total:9.4f} 100.0%        total"])


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), n=3
    )
    return "".join(list(lines)[2:])  # less the two lines that name files
