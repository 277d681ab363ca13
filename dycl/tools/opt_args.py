"""Command line of `dycl-opt`: pass flags in order, phases, names that do not exist."""

import argparse
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NoReturn

from dycl.pipelines import PHASES, Pipeline, PipelineError, suggestion, unknown_pass
from dycl.tools.usage import UsageError

Flag = Callable[..., argparse.Action]
"""`add_argument` of a parser, or of a group of flags."""

_PIPELINE_FLAGS = ("-p", "--passes", "--pass-pipeline")


def add_arguments(parser: argparse.ArgumentParser, passes: Collection[str]) -> None:
    """Add the flags that xDSL's tool lacks; its errors become `UsageError`."""

    def error(message: str) -> NoReturn:
        unknown = re.search(r"unrecognized arguments: --([\w-]+)", message)
        hint = suggestion(unknown[1], [*passes, *PHASES]) if unknown else ""
        raise UsageError(message + hint)

    parser.error = error
    parser.allow_abbrev = False  # `--ver` must not become a flag of its own choice
    parser.prog = "dycl-opt"
    parser.usage = "dycl-opt [flags] [--<pass>[=options]]... [file.mlir]"
    parser.conflict_handler = "resolve"  # three flags of xDSL's are said anew
    group = parser.add_argument_group(
        "DyCL", "--<pass>[=options], --<phase> and -p mix, in the order written"
    )
    _add_pipeline(group.add_argument)
    _add_output(group.add_argument)
    _add_same_answer(group.add_argument)
    _add_checks(group.add_argument)


def _add_pipeline(flag: Flag) -> None:
    """What is run."""
    flag("-p", "--passes", default="", metavar="SPEC",
         help="passes and phases, as in a,b{x=1 y=2},normalise")  # fmt: skip
    flag("-d", "--without", action="append", default=[], metavar="PASS",
         help="leave this pass out, also inside phases and dycl-repeat")  # fmt: skip
    flag("--start-from", metavar="PASS",
         help="skip what stands before this pass or phase")  # fmt: skip
    flag("--stop-after", metavar="PASS",
         help="skip what stands behind this pass or phase")  # fmt: skip
    flag("--list-passes", action="store_true",
         help="print passes with their options, and phases; then exit")  # fmt: skip
    flag("--print-pipeline", metavar="SPEC",
         help="print a phase or pipeline as text for -p; then exit")  # fmt: skip


def _add_output(flag: Flag) -> None:
    """What is printed besides the result."""
    flag("--print-ir-after-change", action="store_true",
         help="after each pass, its changes as a unified diff on stderr")  # fmt: skip
    flag("--print-ir-tree-dir", type=Path, metavar="DIR",
         help="write the IR after each pass that changed it, numbered")  # fmt: skip
    flag("--print-ir-before", action="append", default=[], metavar="PASS",
         help="before each run of this pass, the IR on stderr")  # fmt: skip
    flag("--print-ir-after", action="append", default=[], metavar="PASS",
         help="after each run of this pass, the IR on stderr")  # fmt: skip
    flag("--print-op-generic", "--mlir-print-op-generic", action="store_true",
         help="print all ops in the generic form")  # fmt: skip
    flag("--pass-statistics", action="store_true",
         help="runs, changes, ops made and erased by each pass, on stderr")  # fmt: skip
    flag("--timing", action="store_true", help="seconds per pass, on stderr")
    flag("--remarks", action="store_true",
         help="print on stderr what passes left alone, and why")  # fmt: skip


def _add_same_answer(flag: Flag) -> None:
    """Whether the program still computes the same."""
    flag("--same-answer", action="store_true",
         help="interpret the program after each pass, and name the first that "
         "changes what it computes")  # fmt: skip
    flag("--args", default="", metavar="JSON",
         help="of --same-answer: a list of arguments; else some are drawn")  # fmt: skip
    flag("--weights", type=Path, metavar="W.safetensors",
         help="of --same-answer; else they are drawn")  # fmt: skip
    flag("--tolerance", type=float, default=1e-4, metavar="T",
         help="of --same-answer: how far numbers may be apart")  # fmt: skip


def _add_checks(flag: Flag) -> None:
    """Whether the IR is sound, and where it is not."""
    flag("--verify-each", action=argparse.BooleanOptionalAction, default=True,
         help="verify the IR after each pass (default: yes)")  # fmt: skip
    flag("--reduce", metavar="COMMAND",
         help="print the smallest program, IR or Python, on which COMMAND still fails "
         "in the same way (%%s: the file); or give a folder of a crash")  # fmt: skip
    flag("--reduce-seconds", metavar="N", type=float, default=float("inf"),
         help="end --reduce after N seconds with what is found")  # fmt: skip
    flag("--verify-diagnostics", "--parsing-diagnostics", action="store_true",
         help="compare with // expected-error@+1 {{...}} in the input")  # fmt: skip
    flag("--verify-locations", action="store_true",
         help="fail if a pass makes an op without a source location")  # fmt: skip


def lift_pass_flags(argv: Sequence[str], passes: Collection[str]) -> list[str]:
    """Gather `--<pass>[=options]`, `--<phase>` and `-p` into one `-p`, in order.

    Done before argparse, where an optional value would swallow the file name.
    UsageError: `--dycl-...` is not a pass.
    """
    rest: list[str] = []
    items: list[str] = []
    args = iter(argv)
    for arg in args:
        flag, equals, value = arg.partition("=")
        name = flag.removeprefix("--")
        if flag in _PIPELINE_FLAGS:
            items.append(_pipeline(value if equals else next(args, "")))
        elif not flag.startswith("--"):
            rest.append(arg)
        elif name in passes or name in PHASES:
            items.append(f"{name}{{{value}}}" if value else name)
        elif name.startswith("dycl-"):
            raise UsageError(unknown_pass(name, passes))
        else:
            rest.append(arg)
    return [*rest, "-p", ",".join(filter(None, items))] if items else rest


def check_names(spec: str, passes: Collection[str]) -> None:
    """UsageError, with a suggestion, if a name in a pipeline is no pass or phase."""
    try:
        Pipeline.parse(spec).check(passes)
    except PipelineError as error:
        raise UsageError(str(error)) from error


def _pipeline(spec: str) -> str:
    """One `-p` value; MLIR's `builtin.module(...)` around it is taken off."""
    anchored = re.fullmatch(r"\s*builtin\.module\((.*)\)\s*", spec, re.DOTALL)
    return anchored[1] if anchored else spec
