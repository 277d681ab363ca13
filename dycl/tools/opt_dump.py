"""What `dycl-opt` shows of a run: diffs, numbered files, seconds per pass."""

import difflib
import sys
from collections import Counter
from collections.abc import Collection
from io import StringIO
from pathlib import Path
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from dycl.ir.fingerprint import fingerprint
from dycl.ir.walking import walk
from dycl.tools.stable_names import Names, stable_text


class IrDump:
    """Diffs on stderr and numbered files, for the passes that changed something."""

    def __init__(
        self,
        show_diff: bool,
        tree_dir: Path | None,
        generic: bool = False,
        debuginfo: bool = False,
        before: Collection[str] = (),
        after: Collection[str] = (),
    ):
        """Dump to stderr if `show_diff`, to `tree_dir` if given; all cost a print.

        `before`, `after`: passes whose input or output is shown in full.
        """
        self._shown_before = before
        self._shown_after = after
        self.show_diff = show_diff
        self.tree_dir = tree_dir
        self.generic = generic
        self.debuginfo = debuginfo
        self._text = ""
        self._names = Names()
        self._stable = ""
        """The text for diffs, in which a value keeps its name from pass to pass."""
        self._files = 0

    @property
    def wanted(self) -> bool:
        """Whether anything is dumped at all."""
        return bool(
            self.show_diff
            or self.tree_dir is not None
            or self._shown_before
            or self._shown_after
        )

    def start(self, module: ModuleOp) -> None:
        """Take the input of the pipeline."""
        if self.wanted:
            self._text = self._print(module)
            self._stable = self._print_stable(module)
            self._write("input")

    def after(self, label: str, name: str, module: ModuleOp, quiet: bool) -> None:
        """Show what the pass `name` did; `quiet`: say nothing if it did nothing."""
        if not self.wanted:
            return
        before, self._text = self._text, self._print(module)
        changed = before != self._text
        for when, names, text in (
            ("before", self._shown_before, before),
            ("after", self._shown_after, self._text),
        ):
            if name in names:
                print(f"// ---- IR {when} {label}", file=sys.stderr)
                sys.stderr.write(text)
        if changed:
            self._write(name)
        if self.show_diff and (changed or not quiet):
            note = "" if changed else " (no change)"
            print(f"// ---- {label}{note}", file=sys.stderr)
            then, self._stable = self._stable, self._print_stable(module)
            sys.stderr.write(_diff(then, self._stable))

    def _write(self, name: str) -> None:
        if self.tree_dir is not None:
            self.tree_dir.mkdir(parents=True, exist_ok=True)
            path = self.tree_dir / f"{self._files:02}-{name}.mlir"
            path.write_text(self._text, encoding="utf-8")
            self._files += 1

    def _print_stable(self, module: ModuleOp) -> str:
        if not self.show_diff:
            return ""
        return stable_text(module, self._names, self.generic, self.debuginfo)

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


class Statistics:
    """What each pass did, summed over its runs."""

    def __init__(self) -> None:
        """Nothing is counted yet."""
        self._ops: Counter[str] = Counter()
        self._print = ""
        self._rows: dict[str, list[int]] = {}

    def start(self, module: ModuleOp) -> None:
        """Take the input of the pipeline."""
        self._ops, self._print = _counted(module), fingerprint(module)

    def after(self, name: str, module: ModuleOp) -> None:
        """Count what a pass did since the last call."""
        before, seen = self._ops, self._print
        self.start(module)
        row = self._rows.setdefault(name, [0, 0, 0, 0])
        row[0] += 1
        row[1] += seen != self._print
        row[2] += (self._ops - before).total()
        row[3] += (before - self._ops).total()

    def table(self) -> str:
        """One line for each pass, in the order of first runs."""
        lines = ["  runs  changed  ops made  ops erased  pass"]
        for name, (runs, changed, created, erased) in self._rows.items():
            lines.append(f"{runs:6} {changed:8} {created:9} {erased:11}  {name}")
        return "\n".join(lines)


def _counted(module: ModuleOp) -> Counter[str]:
    return Counter(op.name for op in walk(module))


def _diff(before: str, after: str) -> str:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, n=3)
    return "".join(list(lines)[2:])  # less the two lines that name files
