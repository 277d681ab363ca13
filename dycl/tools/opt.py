"""`dycl-opt`: run passes on IR text. xDSL's tool with the manners of `mlir-opt`.

    dycl-opt net.mlir --normalise -d dycl-unroll-loops --cse -p type
    dycl-opt --dycl-unroll-loops=max-trip-count=8 --print-ir-after-change net.mlir

Exit status: 0 done; 1 the program or a pass has an error; 2 the command line asks
for something that does not exist; 3 a bug of ours, kept in `dycl-crash-<hash>/`.
"""

import argparse
import os
import re
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.exceptions import (
    DiagnosticException,
    ParseError,
    ShrinkException,
    VerifyException,
)
from xdsl.xdsl_opt_main import xDSLOptMain

from dycl.analysis.manager import PassContext
from dycl.backends import claims_for
from dycl.diag import InternalError, collect_remarks, report_crash
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.placing_parser import NotUtf8, decode, parse_text
from dycl.ir.verify import (
    OpVerifyException,
    culprit,
    verify_dominance,
    verify_locations,
)
from dycl.options import CompileOptions
from dycl.passes.repeat import RepeatPass
from dycl.pipelines import Pipeline, PipelineError
from dycl.tools.opt_args import add_arguments, check_names, lift_pass_flags
from dycl.tools.opt_dump import IrDump, Statistics, Timing
from dycl.tools.opt_verify import (
    Report,
    expectations,
    mismatches,
    report_of_remark,
    reports_of,
)
from dycl.tools.pass_docs import list_passes
from dycl.tools.reduce import reduce_file
from dycl.tools.same_answer import SameAnswer
from dycl.tools.usage import UsageError
from dycl.universe import PluginError, everything

RECURSION_LIMIT = 20_000
"""xDSL parses, prints and clones by recursion; an early-exit net nests deep."""


class DyclOpt(xDSLOptMain):
    """The optimiser driver. Dialects and passes come from plugins, ours included."""

    version_format = "dycl-opt (xDSL {xdsl_version})"

    def __init__(self, args: Sequence[str] | None = None):
        """Read the command line, by default `sys.argv`. UsageError: see there."""
        argv = sys.argv[1:] if args is None else args
        self._line_offset = 0
        super().__init__(
            "Run passes on IR text.",
            lift_pass_flags(argv, everything().all_passes.keys()),
        )

    # ---- set-up: hooks that xDSLOptMain.__init__ calls in this order

    def register_all_dialects(self) -> None:
        """All dialects that are installed, each imported when it is first met."""
        self.ctx = PassContext(
            watcher=self._after_inner, claims=claims_for(CompileOptions())
        )
        for name, load in everything().all_dialects.items():
            self.ctx.register_dialect(name, load)

    def register_all_frontends(self) -> None:
        """IR text only, with a location for every op."""

        def parse_mlir(stream: IO[bytes]) -> ModuleOp:
            return parse_text(
                self.ctx,
                stream.read().decode(),
                self.get_input_name(),
                self._line_offset,
                implicit=not self.args.no_implicit_module,
            )

        self.available_frontends["mlir"] = parse_mlir

    def register_all_passes(self) -> None:
        """All passes that are installed."""
        for name, load in everything().all_passes.items():
            self.register_pass(name, load)

    def register_all_targets(self) -> None:
        """All output formats that are installed."""
        self.available_targets.update(everything().all_targets)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        """The flags of `xdsl-opt` and ours."""
        self.arg_parser = arg_parser
        super().register_all_arguments(arg_parser)
        add_arguments(arg_parser, self.available_passes.keys())

    def setup_pipeline(self) -> None:
        """Make the pipeline. UsageError: a pass or an option does not exist."""
        args = self.args
        if not args.verify_each:
            args.disable_verify = True
        shown = [*args.print_ir_before, *args.print_ir_after]
        check_names(",".join([*args.without, *shown]), self.available_passes)
        try:
            pipeline = self._requested()
            self._load(pipeline)
        except PipelineError as error:
            raise UsageError(str(error)) from error
        args.passes = str(pipeline)
        super().setup_pipeline()
        self._xdsl_callback = self.pipeline.callback
        self.pipeline = PassPipeline(self.pipeline.passes, self._between)
        self._timing = Timing()
        self._dump = IrDump(
            args.print_ir_after_change,
            args.print_ir_tree_dir,
            args.print_op_generic,
            args.print_debuginfo,
            args.print_ir_before,
            args.print_ir_after,
        )
        self._answers: SameAnswer | None = None
        self._statistics = Statistics() if args.pass_statistics else None

    def _requested(self) -> Pipeline:
        """The passes that the command line asks for. PipelineError."""
        args = self.args
        pipeline = Pipeline.parse(args.passes)
        pipeline.check(self.available_passes)
        pipeline = pipeline.expanded(args.without)
        if args.stop_after is not None:
            pipeline = pipeline.until(args.stop_after)
        if args.start_from is not None:
            pipeline = pipeline.since(args.start_from)
        return pipeline

    def _load(self, pipeline: Pipeline) -> None:
        """UsageError, PipelineError: a pass cannot be made."""
        try:
            pipeline.load(self.available_passes)
        except ImportError as error:
            raise UsageError(f"a pass cannot be loaded: {error}") from error

    # ---- the run

    def run_all(self) -> int:
        """Process the input, all chunks of it. The exit status: 0, or 1 if errors."""
        chunks, extension = self._chunks()
        output = self.prepare_output()
        failures = 0
        try:
            for index, text in enumerate(chunks):
                if index > 0:
                    output.write("// -----\n")
                result, reports = self._run_chunk(text, extension)
                output.write(result)
                output.flush()
                failures += self._tell(text, reports)
                self._line_offset += text.count("\n")
        finally:
            if output is not sys.stdout:
                output.close()
        if self.args.timing:
            print(self._timing.table(), file=sys.stderr)
        if self._statistics is not None:
            print(self._statistics.table(), file=sys.stderr)
        return 1 if failures else 0

    def _chunks(self) -> tuple[list[str], str]:
        """The input, whole or split at lines `// -----`, and its file extension.

        xDSL splits at `// -----` within a line as well, so in the CHECK lines of a
        test. OSError: the file cannot be read. UsageError: not a kind of file we read.
        """
        stream, extension = self.get_input_stream()
        extension = self.args.frontend or extension
        with stream:
            text = decode(stream.read(), self.get_input_name())
        if extension not in self.available_frontends:
            raise UsageError(f"cannot read '.{extension}' files; --frontend=mlir?")
        if self.args.split_input_file:
            return re.split(r"^// -----[ \t]*$", text, flags=re.MULTILINE), extension
        return [text], extension

    def _run_chunk(self, text: str, extension: str) -> tuple[str, list[Report]]:
        """The resulting text, empty after an error, and what there is to say."""
        result = ""
        reports: list[Report] = []
        with collect_remarks() as remarks:
            try:
                result = self._transform(text, extension)
            except (ParseError, DiagnosticException) as error:
                reports = reports_of(error, self._line_offset)
            except NotEvaluated as error:
                reports = [Report("error", None, str(error))]
            except (ShrinkException, UsageError):
                raise
            except Exception as error:
                raise report_crash(error, text, self.args.passes) from error
        return result, [*map(report_of_remark, remarks), *reports]

    def _transform(self, text: str, extension: str) -> str:
        self._timing.restart()
        module = self.available_frontends[extension](BytesIO(text.encode()))
        self._timing.stop("parse")
        self.apply_passes(module)
        self._timing.restart()
        result = self.output_resulting_program(module)
        self._timing.stop("print")
        return result

    def _tell(self, text: str, reports: list[Report]) -> int:
        """Print errors, or compare them with what the text expects; their number."""
        if self.args.remarks:
            for report in reports:
                if report.kind == "remark":
                    print(report, file=sys.stderr)
        if self.args.verify_diagnostics:
            expected = expectations(text, self._line_offset)
            lines = mismatches(self.get_input_name(), expected, reports)
        else:
            lines = [str(report) for report in reports if report.kind == "error"]
        for line in lines:
            print(line, file=sys.stderr)
        return len(lines)

    # ---- between passes

    def _between(
        self, done: ModulePass | None, module: ModuleOp, todo: ModulePass | None
    ) -> None:
        """Time, check and show; called before, between and after the passes."""
        if done is not None:
            self._timing.stop(done.name)
        if self._xdsl_callback is not None:
            with _blaming(done, module):
                self._xdsl_callback(done, module, todo)
        self._check(done, module)
        self._same_answer(done, module)
        if done is None:
            self._dump.start(module)
            if self._statistics is not None:
                self._statistics.start(module)
        else:
            if self._statistics is not None and not isinstance(done, RepeatPass):
                self._statistics.after(done.name, module)
            inside = isinstance(done, RepeatPass)
            self._dump.after(str(done.pipeline_pass_spec()), done.name, module, inside)
        self._timing.restart()

    def _after_inner(self, done: ModulePass, module: ModuleOp, number: int) -> None:
        """The same for a pass inside `dycl-repeat`."""
        self._timing.stop(done.name)
        if not self.args.disable_verify:
            with _blaming(done, module):
                module.verify()
        self._check(done, module)
        self._same_answer(done, module)
        label = f"{done.pipeline_pass_spec()} (round {number})"
        self._dump.after(label, done.name, module, quiet=True)
        if self._statistics is not None:
            self._statistics.after(done.name, module)
        self._timing.restart()

    def _same_answer(self, done: ModulePass | None, module: ModuleOp) -> None:
        """Compare what the program computes with what it did before any pass."""
        args = self.args
        if not args.same_answer:
            return
        if done is None:
            given = args.args, args.weights, args.tolerance
            self._answers = SameAnswer(module, *given)
        elif self._answers is not None and not isinstance(done, RepeatPass):
            self._answers.check(done.name, module)

    def _check(self, done: ModulePass | None, module: ModuleOp) -> None:
        """What xDSL's verifier lacks."""
        if not self.args.disable_verify:
            with _blaming(done, module):
                verify_dominance(module)
        if self.args.verify_locations:
            verify_locations(module, "the input" if done is None else done.name)


@contextmanager
def _blaming(done: ModulePass | None, module: ModuleOp) -> Generator[None]:
    """Give a verifier's error the op that it is about, and the pass that ran last."""
    try:
        yield
    except VerifyException as error:
        op = error.op if isinstance(error, OpVerifyException) else culprit(module)
        subject = "" if op.name in str(error) else f"'{op.name}': "
        after = "" if done is None else f" (after {done.name})"
        raise OpVerifyException(f"{subject}{error}{after}", op) from error


def main(args: Sequence[str] | None = None) -> None:
    """The console script `dycl-opt`. Raises SystemExit with the status."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION_LIMIT))
    sys.exit(run(args))


def run(args: Sequence[str] | None = None) -> int:
    """Run the tool; the exit status."""
    try:
        tool = DyclOpt(args)
        if tool.args.list_passes:
            print(list_passes(tool.available_passes, XDSL_UNIVERSE.all_passes))
            return 0
        if (spec := tool.args.print_pipeline) is not None:
            check_names(spec, tool.available_passes)
            try:
                print(Pipeline.parse(spec).expanded(tool.args.without))
            except PipelineError as error:
                raise UsageError(str(error)) from error
            return 0
        if tool.args.reduce is not None:
            if tool.args.input_file is None:
                raise UsageError("--reduce needs a file, not standard input")
            source = Path(tool.args.input_file)
            seconds = tool.args.reduce_seconds
            print(reduce_file(tool.args.reduce, source, seconds), end="")
            return 0
        status = tool.run_all()
        if tool.args.shrink:
            print("Failure, can't shrink")
            return 1
        return status
    except ShrinkException:
        print("Success, can shrink")
        return 0
    except UsageError as error:
        return _fail(str(error), 2)
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # `dycl-opt ... | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        return _fail(f"{error.strerror}: {error.filename}", 1)
    except InternalError as error:
        return _fail(str(error), 3)
    except NotUtf8 as error:
        print(error, file=sys.stderr)
        return 1
    except PluginError as error:
        print(error, file=sys.stderr)
        return 2


def _fail(message: str, status: int) -> int:
    print(f"dycl-opt: error: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    main()
