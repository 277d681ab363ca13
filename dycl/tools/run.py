"""`dycl-run`: run IR text of any level on the reference interpreter.

    dycl-run net.mlir --args '[1, 2.5, true]'
    dycl-run net.mlir --args '[[[1.0, 2.0]]]' --weights net.safetensors
    dycl-run --same-after='dycl-unroll-loops,cse' net.mlir --args '[3]'

`--args` is a JSON list with one item for each argument; where the entry function wants
a tensor, nested lists are its elements. Prints the value, every decision that was run
and every kernel that was launched. With `--same-after` the program runs as it is and
again after the passes, and a difference is an error; decisions that passes add by
design are none. `dycl-opt --same-answer` asks after each pass.

Exit status: 0 done; 1 a difference, or the program has an error; 2 the command line.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, ParseError

from dycl.diag import CodedError
from dycl.ir.interpreter import InterpreterError, Result, UnsupportedReached
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.placing_parser import decode, parse_text
from dycl.ir.verify import verify_dominance
from dycl.pipelines import PipelineError
from dycl.tools.opt import RECURSION_LIMIT
from dycl.tools.same import (
    Outcome,
    apply_pipeline,
    decision_places,
    difference,
    new_context,
    run_program,
)
from dycl.tools.same_answer import entry_of, json_inputs, read_weights
from dycl.tools.usage import UsageError


class _UsageError(Exception):
    """The command line asks for what cannot be."""


def main(args: Sequence[str] | None = None) -> None:
    """The console script `dycl-run`. Raises SystemExit with the status."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    sys.exit(run(args))


def run(args: Sequence[str] | None = None) -> int:
    """Run the tool; the exit status."""
    options = make_parser().parse_args(args)
    try:
        return _run(options)
    except (_UsageError, UsageError) as error:
        return _fail(str(error), 2)
    except OSError as error:
        return _fail(f"{error.strerror}: {error.filename}", 1)
    except CodedError as error:
        print(error, file=sys.stderr)
        return 1
    except (ParseError, DiagnosticException) as error:
        return _fail(str(error), 1)
    except (InterpreterError, NotEvaluated, UnsupportedReached) as error:
        return _fail("; ".join([str(error), *getattr(error, "__notes__", [])]), 1)


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser("dycl-run", description="Run IR text.")
    parser.add_argument("file", nargs="?", default="-", help="IR text; - is stdin")
    parser.add_argument("--args", default="[]", help="arguments, as a JSON list")
    parser.add_argument("--entry", default="forward", help="the function to call")
    parser.add_argument("--weights", help="a .safetensors file with the parameters")
    parser.add_argument(
        "--same-after", metavar="PIPELINE", help="compare with a run after these passes"
    )
    parser.add_argument(
        "--tolerance", type=float, default=0.0, help="how far numbers may be apart"
    )
    return parser


def _run(options: argparse.Namespace) -> int:
    is_stdin = options.file == "-"
    name = "<stdin>" if is_stdin else options.file
    data = sys.stdin.buffer.read() if is_stdin else Path(options.file).read_bytes()
    text = decode(data, name)
    context = new_context()
    module = _parse(context, text, name)
    inputs = _inputs(module, options.entry, options.args)
    weights = _weights(options.weights)
    before = run_program(module, inputs, weights, options.entry)
    _print_outcome(before)
    if options.same_after is None:
        return 0 if before.result is not None else 1
    again = _parse(context, text, name)
    _apply(context, again, options.same_after)
    fresh = _inputs(module, options.entry, options.args)
    after = run_program(again, fresh, weights, options.entry)
    locations = decision_places(module)
    change = difference(before, after, options.tolerance, locations)
    if change is not None:
        return _fail(f"not the same after {options.same_after}: {change}", 1)
    print(f"same after {options.same_after}")
    return 0


def _parse(context: Context, text: str, name: str) -> ModuleOp:
    module = parse_text(context, text, name)
    module.verify()
    verify_dominance(module)
    return module


def _apply(context: Context, module: ModuleOp, pipeline: str) -> None:
    try:
        apply_pipeline(context, module, pipeline)
    except PipelineError as error:
        raise _UsageError(f"--same-after: {error}") from error


def _inputs(module: ModuleOp, entry: str, text: str) -> list[object]:
    return json_inputs(text, entry_of(module, entry)[1])


def _weights(file: str | None) -> Mapping[str, object]:
    return {} if file is None else read_weights(Path(file))


def _print_outcome(outcome: Outcome) -> None:
    if outcome.result is None:
        error = outcome.error
        notes = "".join(f" ({n})" for n in getattr(error, "__notes__", []))
        print(f"raises: {type(error).__name__}: {error}{notes}")
        return
    print(f"value: {outcome.result.value!r}")
    _print_record(outcome.result)


def _print_record(result: Result) -> None:
    for decision in result.path:
        side = "true" if decision.taken else "false"
        location = f" at {decision.location}" if decision.location else ""
        print(f"decision: {decision.test or '(no name)'}{location}: {side}")
    for kernel, count in result.kernels.items():
        print(f"launched: @{kernel} x{count}")


def _fail(message: str, status: int) -> int:
    print(f"dycl-run: error: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
