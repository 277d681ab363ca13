"""One compilation under way: its progress, its passes, and the text of each level."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.exceptions import VerifyException

from dycl.analysis.manager import PassContext, same, state
from dycl.analysis.tensors.memo import RememberedWrongly
from dycl.backends import (
    asking,
    claims_for,
    claims_key,
    left_out,
    optional_steps,
)
from dycl.diag import (
    CodedError,
    CompileErrors,
    PassFailed,
    crash_folder,
    internal_error,
    see_again,
)
from dycl.driver.ir_dump import IRDump, printed
from dycl.driver.program_cache import BOUND, Programs, key_of
from dycl.driver.unforeseen import refusal
from dycl.ir import IfOp
from dycl.ir.host import FuncOp
from dycl.ir.printer import Texts
from dycl.ir.verify import (
    OpVerifyException,
    culprit,
    verify_dominance,
    verify_locations,
    verify_references,
)
from dycl.ir.walking import walk
from dycl.lowerings import BrokenLowerings, load_installed
from dycl.options import CompileOptions
from dycl.passes import PASSES
from dycl.pipelines import LEVELS, PHASES, Pipeline, PipelineError, unknown_pass
from dycl.report import Listener
from dycl.support.store import default_store
from dycl.universe import PluginError, everything

VERIFIED = ("hcfg", "host")
"""Levels that are always verified: kernels and hosts are made of them."""

Watch = Callable[[str, ModuleOp], None]
"""Is given each level that is reached, and the module, which passes then change."""


@dataclass
class Stage:
    """One line of progress."""

    run: "Compilation"
    name: str
    detail: str = ""
    started: float = 0.0

    def __enter__(self) -> Self:
        self.started = time.perf_counter()
        self.run.listener.stage_started(self.name)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            seconds = time.perf_counter() - self.started
            self.run.listener.stage_done(self.name, seconds, self.detail)


class Compilation:
    """One compilation: its options, listener, and the text of each level."""

    def __init__(self, options: CompileOptions, listener: Listener, watch: Watch):
        self.options = options
        self.listener = listener
        self.watch = watch
        try:
            load_installed()
        except BrokenLowerings as error:
            raise PluginError(str(error)) from error
        self.pipelines = _pipelines(options)
        """Level -> the passes that lead to it."""
        self.normalising = self.pipelines["normal"]
        """All of these that lead to `normal`, also if the run ends before."""
        self.foreign = frozenset(
            name
            for pipeline in self.pipelines.values()
            for name in pipeline.names
            if name not in PASSES and name not in XDSL_UNIVERSE.all_passes
        )
        """The passes that came with plug-ins."""
        self.level = "source"
        """The level that the program had at the beginning."""
        self.profile: Mapping[str, Any] | None = None
        """What `Profile.data` gives, if decisions are to be laid out by it."""
        self.is_text = False
        """Whether it was written, so that what is not valid need not be our bug."""
        self.stages: dict[str, str] = {}
        self.texts = Texts()
        """Of attributes: a level has most of those of the level before."""
        self.dump = IRDump(options.keep)
        self._key: tuple[ModuleOp, str | None] | None = None
        self._normalised: tuple[ModuleOp, ModuleOp] | None = None
        self.programs = Programs(default_store("programs", BOUND))
        self._verified: list[object] = []
        """The module as it was when it was verified last."""
        self.claims = claims_for(options)
        """Where backends are asked what they can take."""
        self.context = PassContext(watcher=self.dump.write_inner, claims=self.claims)
        for name, load in everything().all_dialects.items():
            self.context.register_dialect(name, load)

    @property
    def _is_default(self) -> bool:
        """Whether what fails is about the model, not about passes or text given."""
        options = self.options
        is_whole = not options.without and options.pipeline == CompileOptions.pipeline
        return is_whole and not self.foreign and not self.is_text

    @property
    def _is_watched(self) -> bool:
        """Whether each pass has to be run: somebody looks, or it is a plug-in's.

        Nobody says when the source of a plug-in changes.
        """
        return self.options.verify or self._is_seen

    @property
    def _is_seen(self) -> bool:
        """Whether passes have to be run on the program that is compiled itself."""
        looks = self.options.keep is not None or self.watch is not see_nothing
        return looks or bool(self.foreign)

    def begin(self, level: str, start_from: str | None = None) -> None:
        """Go on from a program of this level, which is checked.

        `start_from`: from this pass or phase, and nothing before. PipelineError: the
        pipeline has none of that name.
        """
        self.level, self.is_text = level, True
        if start_from is not None:
            self._skip_to(start_from)
            return
        for name in self.pipelines if level != "source" else ():
            check = [i for i in self.pipelines[name].items if i.name == LEVELS[name]]
            self.pipelines[name] = Pipeline(tuple(check) if name == level else ())
            if name == level:
                break

    def end(self, stop_after: str) -> None:
        """Run nothing behind this pass or phase. PipelineError: the pipeline has none
        of that name."""
        left = len(self._full_pipeline().until(stop_after).items)
        for level, pipeline in self.pipelines.items():
            self.pipelines[level] = Pipeline(pipeline.items[:left])
            left = max(0, left - len(pipeline.items))

    def _full_pipeline(self) -> Pipeline:
        return Pipeline(tuple(i for p in self.pipelines.values() for i in p.items))

    def _skip_to(self, name: str) -> None:
        whole = self._full_pipeline()
        skipped = len(whole.items) - len(whole.since(name).items)
        for level, pipeline in self.pipelines.items():
            self.pipelines[level] = Pipeline(pipeline.items[skipped:])
            skipped = max(0, skipped - len(pipeline.items))

    def key(self, module: ModuleOp) -> str | None:
        """Under which key the program at `source` is in the cache; None: not at all.

        That of the last module is kept: no pass has changed it when it is asked again.
        Who wants to see each pass at work gets that.
        """
        if not self.options.cache or self._is_watched:
            return None
        levels = ("normal", "typed", "hcfg")
        if self._key is None or self._key[0] is not module:
            passes = ";".join(str(self.pipelines[name]) for name in levels)
            said = claims_key(self.pipelines["hcfg"], self.claims)
            text = printed(module, locations=True, texts=self.texts)
            key = None if said is None else key_of(text, f"{passes}\0{said}")
            self._key = module, key
        return self._key[1]

    def reuse_normal(self, source: ModuleOp, normal: ModuleOp) -> bool:
        """Take over what the passes make of a program at `source`.

        False: somebody watches the passes at work, so they will run.
        """
        cut = self.pipelines["normal"].items != self.normalising.items
        if self._is_seen or cut:
            return False
        self._normalised = source, normal
        return True

    @property
    def after_trial(self) -> Callable[..., None] | None:
        """What verifies what passes leave of a program that `reuse_normal` may take."""
        return None if self._is_seen or not self.options.verify else self._after

    def stage(self, name: str) -> Stage:
        """Progress of what is done in its `with` block."""
        return Stage(self, name)

    def reach(self, name: str, module: ModuleOp) -> None:
        """Run the passes that lead to a level, if any, as one stage of progress."""
        if not self.pipelines[name].items:
            return
        with self.stage(name) as stage:
            if name == "normal" and self._take_over(module):
                self.keep(name, module)
            else:
                self.phase(name, self.pipelines[name], module)
            stage.detail = _DETAILS[name](module)

    def _take_over(self, module: ModuleOp) -> bool:
        """Make a program what its passes have made of another copy of it, if any."""
        known, self._normalised = self._normalised, None
        if known is None or known[0] is not module:
            return False
        module.detach_region(0)
        module.add_region(known[1].detach_region(0))
        return True

    def keep(self, level: str, module: ModuleOp) -> None:
        """Remember the text of a level."""
        self.stages[level] = printed(module, texts=self.texts)
        self.dump.write_level(level, module)
        self.watch(level, module)

    def phase(
        self, level: str, pipeline: Pipeline, module: ModuleOp, shown: bool = True
    ) -> None:
        """Run a part of the pipeline; a bug leaves a folder that reproduces it.

        The text of what comes out is kept if it is to be `shown`.
        """
        before = list(self.stages.values())[-1]
        passes = pipeline.load(everything().all_passes)
        after = self._after if shown else None
        try:
            PassPipeline(passes, after).apply(self.context, module)
            if self.options.verify or level in VERIFIED:
                self._verify(module)
        except PassFailed as failure:
            if self._is_default and (refused := refusal(failure)) is not None:
                raise refused from failure
            raise
        except (CodedError, CompileErrors):
            raise
        except VerifyException as error:
            if not self.is_text:
                folder = crash_folder(error, before, str(pipeline))
                raise internal_error(error, folder) from error
            verify_module(module, f"after {passes[-1].name}")
            raise PassFailed(f"the program is not valid: {error}") from error
        except Exception as bug:
            folder = crash_folder(bug, before, str(pipeline))
            about_model = self._is_default and not isinstance(bug, RememberedWrongly)
            refused = refusal(bug, see_again(folder)) if about_model else None
            raise refused or internal_error(bug, folder) from bug
        if shown:
            self.keep(level, module)

    def _after(
        self, done: ModulePass | None, module: ModuleOp, todo: ModulePass | None
    ) -> None:
        if done is None:
            return
        self.dump.write_pass(done.name, module)
        if done.name in self.foreign:
            verify_module(module, f"after {done.name}")
        if self.options.verify:
            self._verify(module, done.name)

    def _verify(self, module: ModuleOp, done: str | None = None) -> None:
        """Verify the module; `done`: a pass, and whether it has kept all locations.

        Most passes change nothing in most modules: what was valid is so still.
        """
        now = [*state(module), *(op.location for op in walk(module))]
        if same(now, self._verified):
            return
        module.verify()
        verify_dominance(module)
        if done is not None:
            verify_locations(module, done)
        self._verified = now


class Silent:
    """The listener of a caller who wants no progress."""

    def stage_started(self, name: str) -> None:
        """Nothing."""

    def stage_done(self, name: str, seconds: float, detail: str) -> None:
        """Nothing."""

    def step_done(self, index: int, total: int, name: str, seconds: float) -> None:
        """Nothing."""


def see_nothing(level: str, module: ModuleOp) -> None:
    """The watch of a caller who wants the result only."""


MOST_ROWS = 6
"""Rows of the largest version of a kernel, where launches are put off: as many as a
product has sums in registers for. More would read the matrix twice."""

LEAST_WEIGHTS = 1 << 18
"""Elements of weights that products of several calls read, if each runs by itself: as
many as the second cache of a core has room for, of 4 bytes. Fewer are soon read."""


def _pipelines(options: CompileOptions) -> dict[str, Pipeline]:
    """The passes that lead to each level. PipelineError."""
    asked = Pipeline.parse(options.pipeline)
    asked.check(everything().all_passes)
    if options.without:
        known = {*everything().all_passes, *PHASES, *optional_steps()}
        for name in options.without:
            if name not in known:
                raise PipelineError(unknown_pass(name, known))
    most_rows = MOST_ROWS if options.batch_trees else 0
    whole = (
        asked.expanded()
        .with_option("dycl-unroll-loops", "max-trip-count", options.max_trip_count)
        .with_option("dycl-unroll-loops", "max-unrolled", options.max_unrolled)
        .with_option("dycl-roll-loops", "max-unrolled", options.max_unrolled)
        .with_option("dycl-keep-recursion", "max-depth", options.max_recursion)
        .with_option("dycl-split-products", "most-rows", most_rows)
        .with_option("dycl-split-products", "least-weights", LEAST_WEIGHTS)
        .with_option("dycl-outline-products", "most-rows", most_rows)
        .with_option("dycl-outline-products", "least-weights", LEAST_WEIGHTS)
        .with_option("dycl-batch-launches", "most-rows", most_rows)
    )
    if options.pipeline != CompileOptions.pipeline:
        whole.load(everything().all_passes)  # Ours would only be imported early.
    parts = asking(whole, options).by_level()
    without = left_out(options)
    return {name: part.expanded(without) for name, part in parts.items()}


def verify_module(module: ModuleOp, when: str) -> None:
    """PassFailed: the module is not valid, in words that end in `when`."""
    try:
        module.verify()
        verify_dominance(module)
        verify_references(module)
    except VerifyException as error:
        op = error.op if isinstance(error, OpVerifyException) else culprit(module)
        raise PassFailed(f"the program is not valid {when}: {error}", op) from error


def _decisions(module: ModuleOp) -> str:
    count = sum(isinstance(op, IfOp) for op in walk(module))
    return f"{count} decisions"


def _ops(module: ModuleOp) -> str:
    count = sum(op.name.startswith("torch.aten") for op in walk(module))
    return f"{count} tensor operations"


def size_of_hcfg(module: ModuleOp) -> str:
    """Launches and kernels, in words."""
    launches = sum(op.name == "dycl.launch" for op in walk(module))
    kernels = sum("dycl.kernel" in op.attributes for op in module.body.ops)
    return f"{launches} launches of {kernels} kernels"


def _lines(module: ModuleOp) -> str:
    functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
    count = sum(1 for function in functions for _ in walk(function))
    return f"{count} host operations"


_DETAILS: dict[str, Callable[[ModuleOp], str]] = {
    "normal": _decisions,
    "typed": _ops,
    "hcfg": size_of_hcfg,
    "host": _lines,
}
