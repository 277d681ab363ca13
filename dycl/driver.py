"""The whole path from a model to something that runs, as one function.

    model ─ import_model ─▶ source ─ normalise ─▶ normal ─ type ─▶ typed
          ─ partition ─▶ hcfg ─ host ─▶ host.py + kernels ─ backend ─▶ CompiledModel

Each arrow is a phase of `dycl.pipelines`, or one call below; text of every storey is
kept in the result and, with `keep`, on disk.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dycl.analysis.tensors import remembered
from dycl.backends import backends_for, machine_of
from dycl.compilation import (
    Compilation,
    KernelSteps,
    Silent,
    Watch,
    see_nothing,
    size_of_hcfg,
)
from dycl.compiled import CompiledModel
from dycl.diag import CodedError, CompileError, CompileErrors
from dycl.frontend import (
    Imported,
    Structure,
    import_exported,
    import_function,
    import_model,
    is_exported,
)
from dycl.inputs import Example, check_model, example_of
from dycl.ir import EffectOp
from dycl.ir.cloning import clone
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.host.workspaces import set_workspace
from dycl.ir.parser import FastParser
from dycl.ir.walking import walk
from dycl.narrowing import Narrowing, measure
from dycl.options import CompileOptions
from dycl.parameters import aliases_of, arrays_of
from dycl.pipelines import Pipeline, PipelineError
from dycl.probes import late_refusals
from dycl.process import deep_recursion, rare_collections
from dycl.programs import Program, versions
from dycl.report import Listener, build_graph
from dycl.store import default_store
from dycl.story import printed
from dycl.unforeseen import refusal

if TYPE_CHECKING:
    from dycl.artifact import NativeCode, TargetCode
    from dycl.host.native import Preparation
    from dycl.kernels import KernelLibrary


def compile(
    model: Any,
    inputs: Sequence[Any],
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    **overrides: Any,
) -> CompiledModel:
    """Compile a `torch.nn.Module` (or function) for inputs of these shapes and dtypes.

    A `torch.export.ExportedProgram` is compiled from its graph; `torch.cond` and
    `torch.while_loop` are decisions.

    `inputs` are example arguments of `forward`, `kwargs` those by keyword: torch
    tensors, NumPy arrays or Python numbers, of which only the types matter; and `None`,
    texts, and tuples, lists, dicts, named tuples and dataclasses of these. What is no
    tensor or number is fixed, as is a truth by keyword or in a structure: a call with
    another one is an InputError. Options may be given one by one:
    `dycl.compile(model, (x,), keep=Path("build"))`.

    Raises CompileErrors with all that is refused, before any kernel is compiled;
    CompileError for a kernel that cannot be built; PipelineError, a ValueError, for a
    pass or an option in `pipeline` or `without` that does not exist; TypeError for an
    input of no kind that a network takes; InternalError for a bug of ours, with a
    reproducer.
    """
    return compile_watched(
        model, inputs, see_nothing, options, listener, kwargs=kwargs, **overrides
    )


_Native = tuple["NativeCode | None", str]
"""The host in C, or why there is none."""


def compile_watched(
    model: Any,
    inputs: Sequence[Any],
    watch: Watch,
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    **overrides: Any,
) -> CompiledModel:
    """`compile`, for those who want to see the module at each storey."""
    options = dataclasses.replace(options or CompileOptions(), **overrides)
    run = Compilation(options, listener or Silent(), watch)
    if not is_exported(model):
        check_model(model)
    example = example_of(model, inputs, kwargs)
    with deep_recursion(), rare_collections(), remembered.kept_in(_answers(options)):
        return _compile(model, example, run)


def _compile(model: Any, example: Example, run: Compilation) -> CompiledModel:
    module, params = _imported(model, example, run)
    module = _partitioned(module, run)
    return finish(module, run, arrays_of(params), aliases_of(model, params), example)


def _imported(
    model: Any, example: Example, run: Compilation
) -> tuple[ModuleOp, Mapping[str, Any]]:
    """The program at the level `source`, and the model's parameters."""
    with run.stage("source") as stage:
        imported = _read(model, example)
        module, params = imported.module, imported.params
        stage.detail = _source_detail(module)
        run.keep("source", module)
    return module, params


def finish(
    module: ModuleOp,
    run: Compilation,
    weights: Mapping[str, Any],
    aliases: Mapping[str, str] | None = None,
    example: Example | None = None,
) -> CompiledModel:
    """The network of a module at the level `hcfg`, or at `host` if the run began there.

    `weights` as NumPy arrays by name; `aliases`: second names of some; `example`:
    example inputs, if there are any. Raises what `compile` does.
    """
    backend, *others = backends_for(run.options)
    graph = build_graph(module)
    run.storey("host", module)
    from dycl.host import describe_outputs, print_python

    copies = [clone(module) for _ in others]
    code, why_python = _code(module, backend, run)
    codes = [code]
    for copy, other in zip(copies, others, strict=True):
        codes.append(_code(copy, other, run, shown=False)[0])
    text = print_python(module, run.options.max_iterations)
    with run.stage("weights") as stage:
        compiled = CompiledModel(
            text,
            codes,
            weights,
            run.stages,
            graph,
            describe_outputs(module),
            aliases,
            why_python,
            None if example is None else example.signature,
        )
        given, made = compiled.weight_bytes
        stage.detail = f"{given / 1e6:.1f} MB, and {made / 1e6:.1f} MB made of them"
    if run.options.weight_dtype != "f32":
        with run.stage("bf16 weights") as stage:
            compiled.narrowing = _narrowing(module, compiled, example, run)
            stage.detail = str(compiled.narrowing)
    run.story.write_result(compiled)
    return compiled


def _read(model: Any, example: Example) -> Imported:
    """The model at the level `source`. CompileErrors, TypeError."""
    around = None
    if example.signature is not None:
        around = Structure(example.signature, example.classes)
    try:
        if is_exported(model):
            return import_exported(model, example.types)
        is_module = hasattr(model, "named_modules")
        import_it = import_model if is_module else import_function
        return import_it(model, example.types, example.names, around)
    except (CodedError, CompileErrors):
        raise
    except Exception as bug:
        if (refused := refusal(bug)) is not None:
            raise refused from bug
        raise


def _code(
    module: ModuleOp, backend: Any, run: Compilation, shown: bool = True
) -> "tuple[TargetCode, str]":
    """Kernels and host for one processor; why its decisions run in Python, or "".

    The memory of the module is planned anew, with what the kernels need for a call;
    `shown`: as a storey of the program.
    """
    from dycl.artifact import TargetCode
    from dycl.host import weights_read

    library = _library(module, backend, run)
    if _note_workspaces(module, library):
        again = Pipeline.parse("workspaces").expanded(run.options.without)
        run.phase("host", again, module, shown)
    native, why = _native(module, library, backend.target, run)
    read = weights_read(module, _preparations(library))
    return TargetCode(backend.target, library, native, read), why


def _library(module: ModuleOp, backend: Any, run: Compilation) -> "KernelLibrary":
    """The kernels of a module. CompileErrors, CompileError: some cannot be compiled."""
    with run.stage("kernels") as stage:
        text = kernel_text(module)
        steps = KernelSteps(run.listener)
        try:
            library = backend.compile(text, progress=steps.done)
        except CompileError as refused:
            if (
                isinstance(refused, CompileErrors)
                or refused.hint
                or not (late := late_refusals(module, backend.check_each))
            ):
                raise  # With a hint it is a bug of ours, whose folder it names.
            raise CompileErrors(in_order(late)) from refused
        machine = machine_of(run.options.backend, backend.target)
        stage.detail = f"{len(library.specs)} kernels for {machine}"
        if steps.cached:
            stage.detail += f", {steps.cached} of them from the cache"
    return library


def _narrowing(
    module: ModuleOp,
    compiled: CompiledModel,
    example: Example | None,
    run: Compilation,
) -> Narrowing:
    """What bf16 weights change: kernels with f32 weights, and the same host."""
    if example is None:
        return Narrowing(unknown="there are no example inputs")
    called = {op.function_name for op in walk(module) if isinstance(op, EffectOp)}
    if called - {*CHECKS.values()}:
        return Narrowing(unknown="a run prints, or calls functions of the user's")
    backend, *_ = backends_for(dataclasses.replace(run.options, weight_dtype="f32"))
    narrow = compiled.with_python_host()
    wide = narrow.with_library(backend.compile(kernel_text(module)))
    args, kwargs = example.arguments
    return measure(narrow, wide, args, kwargs)


def _partitioned(module: ModuleOp, run: Compilation) -> ModuleOp:
    """The program at the storey `hcfg`: from the cache, or by the passes."""
    key = run.key(module)
    if key is not None and (known := run.programs.get(key)) is not None:
        with run.stage("hcfg") as stage:
            run.stages |= known.stages
            module = FastParser(run.context, known.module).parse_module()
            stage.detail = f"{size_of_hcfg(module)}, from the cache"
        return module
    lowered(module, run, "hcfg")
    if key is not None:
        stages = {name: run.stages[name] for name in ("normal", "typed", "hcfg")}
        run.programs.put(key, Program(stages, printed(module, places=True)))
    return module


def lowered(module: ModuleOp, run: Compilation, level: str) -> ModuleOp:
    """The module after the passes that lead to a level, `source` to `host`.

    CompileErrors: what is refused. PipelineError: the run began behind that level.
    """
    levels = ["source", *run.pipelines]
    if levels.index(level) < levels.index(run.level):
        raise PipelineError(f"the program is of the level {run.level}, behind {level}")
    for name in levels[1 : levels.index(level) + 1]:
        try:
            run.storey(name, module)
        except CompileErrors as refused:
            if name != "typed":
                raise
            backend, *_ = backends_for(run.options)
            if not (late := late_refusals(module, backend.check_each)):
                raise
            raise CompileErrors(in_order([*refused.errors, *late])) from refused
    return module


def lower(
    model: Any,
    inputs: Sequence[Any],
    level: str,
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
) -> ModuleOp:
    """The module that `compile` makes of a model at a level; no kernel is compiled.

    Raises what `compile` does before there are kernels.
    """
    run = Compilation(options or CompileOptions(), listener or Silent(), see_nothing)
    if not is_exported(model):
        check_model(model)
    example = example_of(model, inputs, kwargs)
    disk = _answers(run.options)
    with deep_recursion(), rare_collections(), remembered.kept_in(disk):
        return lowered(_imported(model, example, run)[0], run, level)


def _native(
    module: ModuleOp, library: "KernelLibrary", target: str, run: Compilation
) -> "_Native":
    """The host in C, linked with the kernels; or why there is none.

    CompileError (DY503): it is asked for, and cannot be made.
    """
    from dycl.host import CannotPrint
    from dycl.kernels import NoObjectCode
    from dycl.toolchain import LinkError

    if run.options.host == "python":
        return None, "it was asked for"
    with run.stage("native host") as stage:
        try:
            native = _native_code(module, library, target, run)
        except (CannotPrint, LinkError, NoObjectCode) as error:
            why = error.what if isinstance(error, NoObjectCode) else str(error)
            if run.options.host == "native":
                raise CompileError(
                    "DY503",
                    f"there is no native host for this network: {why}",
                    hint="host='auto' runs its decisions in Python",
                ) from error
        else:
            return native, ""
        stage.detail = f"none: {why}"
    return None, why


def _native_code(
    module: ModuleOp, library: "KernelLibrary", target: str, run: Compilation
) -> "NativeCode":
    """The host as code. CannotPrint, LinkError."""
    from dycl.artifact import build_native
    from dycl.host import print_native
    from dycl.toolchain import BOUND

    options, preparations = run.options, _preparations(library)
    limit, threads = options.max_iterations, options.threads
    program = print_native(module, limit, preparations, threads)
    store = default_store("hosts", BOUND) if options.cache else None
    return build_native(program, library.objects(), library.symbols, target, store)


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


def kernel_text(module: ModuleOp) -> str:
    """The kernels of a module as a module of their own, with the user's places."""
    kernels = [
        clone(op)
        for op in module.body.ops
        if isinstance(op, FuncOp) and "dycl.kernel" in op.attributes
    ]
    return printed(ModuleOp(list(kernels)), places=True)


def _source_detail(module: ModuleOp) -> str:
    functions = sum(isinstance(op, FuncOp) for op in module.body.ops) - 1
    objects = sum(op.name == "dycl.object" for op in module.body.ops)
    return f"{functions} functions, {objects} objects"
