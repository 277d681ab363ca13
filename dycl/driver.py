"""The whole path from a model to something that runs, as one function.

    model ─ import_model ─▶ source ─ normalise ─▶ normal ─ type ─▶ typed
          ─ partition ─▶ hcfg ─ host ─▶ host.py + kernels ─ backend ─▶ CompiledModel

Each arrow is a phase of `dycl.pipelines`, or one call below; text of every storey is
kept in the result and, with `keep`, on disk.
"""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass, PassPipeline

from dycl.analysis import remembered
from dycl.compiled import CompiledModel
from dycl.diag import CodedError, CompileError, CompileErrors, PassFailed, report_crash
from dycl.frontend import (
    import_exported,
    import_function,
    import_model,
    is_exported,
)
from dycl.inputs import check_model, example_types
from dycl.ir import IfOp
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.host import EffectOp
from dycl.ir.host.workspaces import set_workspace
from dycl.ir.parser import FastParser
from dycl.ir.verify import verify_dominance, verify_locations
from dycl.ir.walking import walk
from dycl.narrowing import Narrowing, measure
from dycl.options import CompileOptions
from dycl.pipelines import expand
from dycl.probes import late_refusals
from dycl.process import deep_recursion, rare_collections
from dycl.programs import BOUND, Program, Programs, key_of, versions
from dycl.report import Listener, build_graph
from dycl.runtime.targets import NATIVE, why_not_here
from dycl.store import default_store
from dycl.story import Story, printed
from dycl.universe import everything

if TYPE_CHECKING:
    from dycl.artifact import NativeCode, TargetCode
    from dycl.host.native import Preparation
    from dycl.kernels import KernelLibrary

PHASES = {
    "normal": "normalise",
    "typed": "type",
    "hcfg": "partition",
    "host": "host",
}
"""Storey -> the phase that leads to it."""


def compile(
    model: Any,
    inputs: Sequence[Any],
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    **overrides: Any,
) -> CompiledModel:
    """Compile a `torch.nn.Module` (or function) for inputs of these shapes and dtypes.

    A `torch.export.ExportedProgram` is compiled from its graph; `torch.cond` and
    `torch.while_loop` are decisions.

    `inputs` are example arguments of `forward`: torch tensors, NumPy arrays or Python
    numbers; only their types matter. Options may be given one by one:
    `dycl.compile(model, (x,), keep=Path("build"))`.

    Raises CompileErrors with all that is refused, before any kernel is compiled;
    CompileError for a kernel that cannot be built; TypeError for an input of no kind
    that a network takes; InternalError for a bug of ours, with a reproducer.
    """
    return compile_watched(model, inputs, _see_nothing, options, listener, **overrides)


_Native = tuple["NativeCode | None", str]
"""The host in C, or why there is none."""

Watch = Callable[[str, ModuleOp], None]
"""Is given each storey that is reached, and the module, which passes then change."""


def compile_watched(
    model: Any,
    inputs: Sequence[Any],
    watch: Watch,
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    **overrides: Any,
) -> CompiledModel:
    """`compile`, for those who want to see the module at each storey."""
    options = dataclasses.replace(options or CompileOptions(), **overrides)
    run = _Run(options, listener or _Silent(), watch)
    if not is_exported(model):
        check_model(model)
    with deep_recursion(), rare_collections(), remembered.kept_in(_answers(options)):
        return _compile(model, inputs, run)


def _compile(model: Any, inputs: Sequence[Any], run: "_Run") -> CompiledModel:
    with run.stage("source") as stage:
        types = example_types(inputs)
        if is_exported(model):
            imported = import_exported(model, types)
        elif hasattr(model, "named_modules"):
            imported = import_model(model, types)
        else:
            imported = import_function(model, types)
        module, params = imported.module, imported.params
        stage.detail = _source_detail(module)
        run.keep("source", module)
    backend, *others = _backends(run.options)
    module = _partitioned(module, backend, run)
    graph = build_graph(module)
    run.storey("host", module)
    from dycl.host import describe_outputs, print_python

    copies = [module.clone() for _ in others]
    code, why_python = _code(module, backend, run)
    codes = [code]
    for copy, other in zip(copies, others, strict=True):
        codes.append(_code(copy, other, run, shown=False)[0])
    text = print_python(module, run.options.max_iterations)
    with run.stage("weights") as stage:
        compiled = CompiledModel(
            text,
            codes,
            _arrays(params),
            run.stages,
            graph,
            describe_outputs(module),
            _aliases(model, params),
            why_python,
        )
        given, made = compiled.weight_bytes
        stage.detail = f"{given / 1e6:.1f} MB, and {made / 1e6:.1f} MB made of them"
    if run.options.weights != "f32":
        with run.stage("bf16 weights") as stage:
            compiled.narrowing = _narrowing(module, compiled, inputs, run)
            stage.detail = str(compiled.narrowing)
    run.story.write_result(compiled)
    return compiled


def _code(
    module: ModuleOp, backend: Any, run: "_Run", shown: bool = True
) -> "tuple[TargetCode, str]":
    """Kernels and host for one processor; why its decisions run in Python, or "".

    The memory of the module is planned anew, with what the kernels need for a call;
    `shown`: as a storey of the program.
    """
    from dycl.artifact import TargetCode
    from dycl.host import weights_read

    library = _library(module, backend, run)
    if _note_workspaces(module, library):
        run.phase("host", "workspaces", module, shown)
    native, why = _native(module, library, backend.target, run)
    read = weights_read(module, _preparations(library))
    return TargetCode(backend.target, library, native, read), why


def _library(module: ModuleOp, backend: Any, run: "_Run") -> "KernelLibrary":
    """The kernels of a module. CompileErrors, CompileError: some cannot be compiled."""
    with run.stage("kernels") as stage:
        text = kernel_text(module)
        steps = _KernelSteps(run.listener)
        try:
            library = backend.compile(text, progress=steps.done)
        except CompileError as refused:
            if refused.hint or not (late := late_refusals(module, backend.check)):
                raise  # With a hint it is a bug of ours, whose folder it names.
            raise CompileErrors(in_order(late)) from refused
        machine = _machine(run.options.backend, backend.target)
        stage.detail = f"{len(library.specs)} kernels for {machine}"
        if steps.cached:
            stage.detail += f", {steps.cached} of them from the cache"
    return library


def _narrowing(
    module: ModuleOp, compiled: CompiledModel, inputs: Sequence[Any], run: "_Run"
) -> Narrowing:
    """What bf16 weights change: kernels with f32 weights, and the same host."""
    called = {op.function_name for op in walk(module) if isinstance(op, EffectOp)}
    if called - {*CHECKS.values()}:
        return Narrowing(unknown="a run prints, or calls functions of the user's")
    backend, *_ = _backends(dataclasses.replace(run.options, weights="f32"))
    narrow = compiled.with_python_host()
    wide = narrow.with_library(backend.compile(kernel_text(module)))
    return measure(narrow, wide, inputs)


def _partitioned(module: ModuleOp, backend: Any, run: "_Run") -> ModuleOp:
    """The program at the storey `hcfg`: from the cache, or by the passes."""
    key = run.key(module)
    if key is not None and (known := run.programs.get(key)) is not None:
        with run.stage("hcfg") as stage:
            run.stages |= known.stages
            module = FastParser(run.context, known.module).parse_module()
            stage.detail = f"{_kernels(module)}, from the cache"
        return module
    run.storey("normal", module)
    try:
        run.storey("typed", module)
    except CompileErrors as refused:
        late = late_refusals(module, backend.check)
        if not late:
            raise
        raise CompileErrors(in_order([*refused.errors, *late])) from refused
    run.storey("hcfg", module)
    if key is not None:
        stages = {name: run.stages[name] for name in ("normal", "typed", "hcfg")}
        run.programs.put(key, Program(stages, printed(module, places=True)))
    return module


def _native(
    module: ModuleOp, library: "KernelLibrary", target: str, run: "_Run"
) -> "_Native":
    """The host in C, linked with the kernels; or why there is none.

    CompileError (DY503): it is asked for, and cannot be made.
    """
    from dycl.artifact import LinkError
    from dycl.host import CannotPrint

    if run.options.host == "python":
        return None, "it was asked for"
    with run.stage("native host") as stage:
        try:
            native, stage.detail = _native_code(module, library, target, run)
        except (CannotPrint, LinkError) as error:
            if run.options.host == "native":
                raise CompileError(
                    "DY503",
                    f"there is no native host for this network: {error}",
                    hint="host='auto' runs its decisions in Python",
                ) from error
            why = str(error)
        else:
            return native, ""
        stage.detail = f"none: {why}"
    return None, why


def _native_code(
    module: ModuleOp, library: "KernelLibrary", target: str, run: "_Run"
) -> tuple["NativeCode", str]:
    """The host as code, and how it was made; CannotPrint, LinkError."""
    from dycl.artifact import LinkError, build_native, build_with_llvm, compiler
    from dycl.host import print_native

    options, preparations = run.options, _preparations(library)
    limit, threads, objects = options.max_iterations, options.threads, library.objects()
    program = print_native(module, limit, preparations, threads)
    if compiler() is not None:
        return build_native(program, objects, target), ""
    none = "this machine has no C compiler"
    try:
        return build_with_llvm(program, objects, target), f"by LLVM: {none}"
    except LinkError as error:
        raise LinkError(f"{none}, and {error}") from error


def _note_workspaces(module: ModuleOp, library: "KernelLibrary") -> bool:
    """Say on each kernel what memory it needs during a call; whether any needs some."""
    found = False
    for op in module.body.ops:
        if isinstance(op, FuncOp) and "dycl.kernel" in op.attributes:
            size = library[op.sym_name.data].workspace
            if size:
                set_workspace(op, size)
                found = True
    return found


def _preparations(library: "KernelLibrary") -> "dict[str, Preparation]":
    """What each kernel wants to be made of its weights, for the host's printer."""
    from dycl.host.native import Preparation

    found: dict[str, Preparation] = {}
    for spec in library.specs:
        kernel = library[spec.name]
        if kernel.prepared is not None:
            outputs = [(one.dtype, one.shape) for one in kernel.prepared.outputs]
            found[spec.name] = Preparation(
                kernel.prepared.weights,
                kernel.inputs_left,
                outputs,
                kernel.prepared.recipes,
            )
    return found


@dataclass
class _Stage:
    """One line of progress."""

    run: "_Run"
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


class _Run:
    """One compilation: its options, listener, and the text of each storey."""

    def __init__(self, options: CompileOptions, listener: Listener, watch: "Watch"):
        self.options = options
        self.listener = listener
        self.watch = watch
        self.stages: dict[str, str] = {}
        self.story = Story(options.keep)
        self.programs = Programs(default_store("programs", BOUND))
        self.context = Context()
        for name, load in everything().all_dialects.items():
            self.context.register_dialect(name, load)

    def key(self, module: ModuleOp) -> str | None:
        """Under which key the program at `source` is in the cache; None: not at all.

        Who wants to see each pass at work gets that.
        """
        options = self.options
        if not options.cache or options.verify or options.keep is not None:
            return None
        if self.watch is not _see_nothing:
            return None
        phases = ("normal", "typed", "hcfg")
        passes = ";".join(self.passes(PHASES[name]) for name in phases)
        return key_of(printed(module, places=True), passes)

    def passes(self, phase: str) -> str:
        """The passes of a phase, as pipeline text."""
        return _with_options(expand(phase, self.options.without), self.options)

    def stage(self, name: str) -> _Stage:
        return _Stage(self, name)

    def storey(self, name: str, module: ModuleOp) -> None:
        """Run the phase that leads to a storey, as one stage of progress."""
        with self.stage(name) as stage:
            self.phase(name, PHASES[name], module)
            stage.detail = _DETAILS[name](module)

    def keep(self, storey: str, module: ModuleOp) -> None:
        """Remember the text of a storey."""
        self.stages[storey] = printed(module)
        self.story.write_storey(storey, self.stages[storey])
        self.watch(storey, module)

    def phase(
        self, storey: str, phase: str, module: ModuleOp, shown: bool = True
    ) -> None:
        """Run a phase of the pipeline; a bug leaves a folder that reproduces it.

        The text of what comes out is kept if it is to be `shown`.
        """
        spec = self.passes(phase)
        before = list(self.stages.values())[-1]
        available = everything().all_passes
        after = self._after if shown else None
        pipeline = PassPipeline.parse_spec(available, spec, after)
        try:
            with self.story.watching(module):
                pipeline.apply(self.context, module)
            module.verify()
            verify_dominance(module)
        except (CodedError, CompileErrors):
            raise
        except Exception as bug:
            raise report_crash(bug, before, spec) from bug
        if shown:
            self.keep(storey, module)

    def _after(
        self, done: ModulePass | None, module: ModuleOp, todo: ModulePass | None
    ) -> None:
        if done is None:
            return
        self.story.write_pass(done.name, module)
        if self.options.verify:
            module.verify()
            verify_dominance(module)
            verify_locations(module, done.name)


class _KernelSteps:
    """Passes on how far the kernels are; counts those that were in the cache."""

    def __init__(self, listener: Listener):
        self.listener = listener
        self.before = time.perf_counter()
        self.cached = 0

    def done(self, count: int, total: int, name: str, cached: bool) -> None:
        """`count` of `total` kernels are done, `name` since the last one."""
        now = time.perf_counter()
        self.listener.step_done(count, total, name, now - self.before)
        self.before = now
        self.cached += cached


class _Silent:
    """The listener of a caller who wants no progress."""

    def stage_started(self, name: str) -> None:
        """Nothing."""

    def stage_done(self, name: str, seconds: float, detail: str) -> None:
        """Nothing."""

    def step_done(self, index: int, total: int, name: str, seconds: float) -> None:
        """Nothing."""


def in_order(errors: Sequence[CompileError]) -> list[CompileError]:
    """Errors sorted by place, files in the order in which they are found."""
    files = list(dict.fromkeys(e.at.file for e in errors if e.at is not None))

    def key(error: CompileError) -> tuple[int, int, int]:
        at = error.at
        return (-1, 0, 0) if at is None else (files.index(at.file), at.line, at.col)

    return sorted(errors, key=key)


def _answers(options: CompileOptions) -> remembered.Disk | None:
    """Where torch's answers are kept from one process to the next."""
    if not options.cache:
        return None
    store = default_store("answers", remembered.BOUND)
    return remembered.Disk(store, versions(), compare=options.verify)


def _see_nothing(storey: str, module: ModuleOp) -> None:
    """The watch of a caller who wants the result only."""


def _with_options(spec: str, options: CompileOptions) -> str:
    """Pipeline text with the options that passes take."""
    limit = f'"dycl-unroll-loops{{max-trip-count={options.max_trip_count}}}"'
    return spec.replace("dycl-unroll-loops", limit)


def kernel_text(module: ModuleOp) -> str:
    """The kernels of a module as a module of their own, with the user's places."""
    kernels = [
        op.clone()
        for op in module.body.ops
        if isinstance(op, FuncOp) and "dycl.kernel" in op.attributes
    ]
    return printed(ModuleOp(list(kernels)), places=True)


def _machine(backend: str, target: str) -> str:
    """What kernels are compiled for, in words."""
    return backend if target == NATIVE else f"{backend} {target}"


def _backends(options: CompileOptions) -> list[Any]:
    """The backend that is asked for, for each target, the best first.

    PassFailed: there is none, or it cannot run.
    """
    known = {"cpu": ("dycl.kernels.cpu", "CpuBackend")}
    if options.backend not in known:
        raise PassFailed(
            f"there is no kernel backend '{options.backend}'",
            hint=f"use one of: {', '.join(known)}",
        )
    for target in options.targets:
        if why := why_not_here(target):
            raise PassFailed(
                f"code for '{target}' cannot run here: {why}",
                hint=f"compile for '{NATIVE}', or on a machine that has them",
            )
    package, cls = known[options.backend]
    backend = getattr(import_module(package), cls)
    return [
        backend(
            target=target,
            cache=options.cache,
            threads=options.threads,
            without=options.without,
            narrow=options.weights == "bf16",
        )
        for target in options.targets
    ]


def _arrays(params: Mapping[str, Any]) -> dict[str, Any]:
    """The weights as NumPy arrays of their own: later training changes no artifact."""
    found: dict[str, Any] = {}
    for name, tensor in params.items():
        try:
            found[name] = tensor.detach().cpu().contiguous().numpy().copy()
        except TypeError:
            continue  # a dtype that NumPy lacks: a network that uses it is refused
    return found


def _aliases(model: Any, params: Mapping[str, Any]) -> dict[str, str]:
    """Second names of weights that a model has under two -> the one in `params`."""
    if not hasattr(model, "named_modules"):
        return {}
    paths = {id(tensor): path for path, tensor in params.items()}
    named = [
        *model.named_parameters(remove_duplicate=False),
        *model.named_buffers(remove_duplicate=False),
    ]
    pairs = [(name, paths.get(id(tensor))) for name, tensor in named]
    return {name: path for name, path in pairs if path and path != name}


def _source_detail(module: ModuleOp) -> str:
    functions = sum(isinstance(op, FuncOp) for op in module.body.ops) - 1
    objects = sum(op.name == "dycl.object" for op in module.body.ops)
    return f"{functions} functions, {objects} objects"


def _decisions(module: ModuleOp) -> str:
    count = sum(isinstance(op, IfOp) for op in walk(module))
    return f"{count} decisions"


def _ops(module: ModuleOp) -> str:
    count = sum(op.name.startswith("torch.aten") for op in walk(module))
    return f"{count} tensor operations"


def _kernels(module: ModuleOp) -> str:
    launches = sum(op.name == "dycl.launch" for op in walk(module))
    kernels = sum("dycl.kernel" in op.attributes for op in module.body.ops)
    return f"{launches} launches of {kernels} kernels"


def _lines(module: ModuleOp) -> str:
    count = sum(op.name.startswith("host.") for op in walk(module))
    return f"{count} host operations"


_DETAILS: dict[str, Callable[[ModuleOp], str]] = {
    "normal": _decisions,
    "typed": _ops,
    "hcfg": _kernels,
    "host": _lines,
}
