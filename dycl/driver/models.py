"""The whole path from a model to something that runs, as one function.

    model ─ OnDemand ─▶ source ─ normalise ─▶ normal ─ type ─▶ typed
          ─ partition ─▶ hcfg ─ host ─▶ host.py + kernels ─ backend ─▶ CompiledModel

Each arrow is a phase of `dycl.pipelines`, or one call below; text of every level is
kept in the result and, with `keep`, on disk.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dycl.analysis.tensors import memo
from dycl.backends import backends_for, each_backend
from dycl.compiled import CompiledModel
from dycl.diag import (
    CodedError,
    CompileErrors,
    Note,
    Remark,
    collect_notes,
    collect_remarks,
    in_order,
    pass_on,
    pass_on_notes,
)
from dycl.driver.compilation import (
    Compilation,
    Silent,
    Watch,
    see_nothing,
    size_of_hcfg,
)
from dycl.driver.dynamic_shapes import with_dynamic_shapes, with_hints
from dycl.driver.finished import Networks, completed, key_of, model_of
from dycl.driver.finishing import finish
from dycl.driver.importing import OnDemand, begun
from dycl.driver.inputs import Example, check_model, example_of
from dycl.driver.ir_dump import printed
from dycl.driver.lowering_checks import late_refusals
from dycl.driver.parameters import aliases_of, arrays_of
from dycl.driver.process import deep_recursion, rare_collections
from dycl.driver.profiles import Counts, counts_of, row_marks, undivided
from dycl.driver.program_cache import Program, versions
from dycl.driver.row_inputs import with_rows
from dycl.frontend import (
    Importer,
    Structure,
    import_exported,
    is_exported,
)
from dycl.ir.functions import entry_function
from dycl.ir.input_sizes import SIZES, sizes_attr, sizes_of
from dycl.ir.parser import FastParser
from dycl.options import CompileOptions
from dycl.pipelines import PipelineError
from dycl.report import Listener
from dycl.support.store import default_store

T = TypeVar("T")


def compile(
    model: Any,
    inputs: Sequence[Any],
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    hints: Mapping[str, Any] | None = None,
    rows: Any = None,
    profile: Any = None,
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

    `dycl.Tree(root)` stands for an input whose structure each call decides.

    `dynamic_shapes` says which sizes a call decides, as `torch.export.export` takes it:
    `{"x": {0: dycl.Dim("n", min=1, max=512)}}`. `hints={"n": [128]}` names some of
    them for which there is a version of the network, as if compiled for that size.

    With `rows=True`, or `rows={"x": 0}` for some inputs, the example has one row, and
    the network takes any number of them, each of which goes its own way.

    `profile` lays decisions out by how often each side was taken: a file of
    `Profile.save` or `dycl profile -o`, a `dycl.Profile`, or a list of tuples, the
    arguments of some calls, which are made. Equal counts give equal bytes. CompileError
    (DY506): it is of another network.

    Raises CompileErrors with all that is refused, before any kernel is compiled;
    CompileError for a kernel that cannot be built; PipelineError, a ValueError, for a
    pass or an option in `pipeline` or `without` that does not exist; TypeError for an
    input of no kind that a network takes, or `dynamic_shapes` of another form;
    ValueError for a size of the example or of `hints` that is out of range;
    InternalError for a bug of ours, with a reproducer.
    """
    return compile_watched(
        model,
        inputs,
        see_nothing,
        options,
        listener,
        kwargs=kwargs,
        dynamic_shapes=dynamic_shapes,
        hints=hints,
        rows=rows,
        profile=profile,
        **overrides,
    )


def compile_watched(
    model: Any,
    inputs: Sequence[Any],
    watch: Watch,
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    hints: Mapping[str, Any] | None = None,
    rows: Any = None,
    profile: Any = None,
    **overrides: Any,
) -> CompiledModel:
    """`compile`, for those who want to see the module at each level."""
    given = cast(object, options)
    if given is not None and not isinstance(given, CompileOptions):
        kind = type(given).__name__
        raise TypeError(
            f"options are a `dycl.CompileOptions`, not of type {kind}: "
            "arguments of `forward` by keyword are given as `kwargs=`"
        )
    options = (options or CompileOptions()).with_changes(**overrides)
    each_backend(options)  # A name that there is not is refused before any work.
    if not is_exported(model):
        check_model(model)
    example = _example(model, inputs, kwargs, dynamic_shapes, hints, rows)

    def make(run: Compilation, counts: Counts | None = None) -> CompiledModel:
        run.profile = counts
        return _compile(model, example, run)

    def compiled(
        counts: Counts | None = None, wanted: CompileOptions = options
    ) -> CompiledModel:
        net = _rolled_or_not(
            lambda chosen: Compilation(chosen, listener or Silent(), watch),
            lambda run: make(run, counts),
            wanted,
        )
        return net if net.rows is None else _for_rows(net, model, example, options)

    with deep_recursion(), rare_collections(), memo.kept_in(_answers(options)):
        samples = partial(compiled, wanted=undivided(options))
        return compiled(None if profile is None else counts_of(profile, samples))


def _for_rows(
    net: CompiledModel, model: Any, example: Example, options: CompileOptions
) -> CompiledModel:
    """A network with rows that runs few of them one by one: it is compiled for one row
    as well, if many are computed together; that runs on one thread, or on each."""
    single: CompiledModel | None = None
    if net.rows is not None and net.rows.is_grouped:
        one = dataclasses.replace(example, rows=())
        with collect_remarks(), collect_notes():  # They are those of many rows.
            single = _rolled_or_not(
                lambda chosen: Compilation(chosen, Silent(), see_nothing),
                lambda run: _compile(model, one, run),
                dataclasses.replace(options, threads=1, keep=None),
            )
    net.run_rows(single, options.threads)
    net.options = {**net.options, "threads": options.threads}
    return net


def _rolled_or_not(
    begin: Callable[[CompileOptions], Compilation],
    make: Callable[[Compilation], T],
    options: CompileOptions,
) -> T:
    """What is made in a run; in one that unrolls all loops, if that is refused.

    A loop that is kept may be in the way: its body asks for its number, or makes
    another shape each time. Raises what is raised where none is kept.
    """
    run = begin(options)
    remarks, notes = list[Remark](), list[Note]()
    try:
        with collect_remarks() as remarks, collect_notes() as notes:
            return make(run)
    except (CodedError, CompileErrors) as refused:
        if not run.context.has_rolled:
            raise
        errors = refused.errors if isinstance(refused, CompileErrors) else [refused]
        remarks = [Remark("not rolled", e.what, e.at, "dycl.for") for e in errors]
        notes = list[Note]()  # What is done to the other loops is done again.
    finally:
        pass_on(remarks)
        pass_on_notes(notes)
    most = max(options.max_unrolled, options.max_trip_count)
    return make(begin(dataclasses.replace(options, max_unrolled=most)))


def _compile(model: Any, example: Example, run: Compilation) -> CompiledModel:
    if is_exported(model):
        module, params = _exported(model, example, run)
        rest = _rest(module, example, run)
    else:
        source = OnDemand(_importer(model, example, run), model, run)
        rest = source.lowered(lambda m, whole: _rest(m, example, run, whole))
        params = source.importer.params
    return rest(arrays_of(params), aliases_of(model, params))


def _rest(
    module: ModuleOp,
    example: Example,
    run: Compilation,
    is_whole: Callable[[], bool] = lambda: True,
) -> Callable[[Mapping[str, Any], Mapping[str, str]], CompiledModel]:
    """What makes a network of weights and their second names, for a program at
    `source`: from the cache, or by all that follows."""
    key = key_of(module, example, run)
    if key is not None and (known := Networks().get(key)) is not None:
        with run.stage("host") as stage:
            stage.detail = "all levels, from the cache"
        if (codes := completed(known, run)) is not None:
            return partial(model_of, known, codes, run)
    module = _partitioned(module, run, is_whole)
    return partial(finish, module, run, example=example, key=key)


def _exported(
    model: Any, example: Example, run: Compilation
) -> tuple[ModuleOp, Mapping[str, Any]]:
    """An exported program at the level `source`, and its parameters."""
    with run.stage("source") as stage:
        imported = begun(lambda: import_exported(model, example.types))
        module, params = imported.module, imported.params
        entry = entry_function(module)
        assert entry is not None
        if example.hints is not None:
            hinted = with_hints(sizes_of(entry), example.hints)
            entry.attributes[SIZES] = sizes_attr(hinted)
        stage.detail = _source_detail(module)
        run.keep("source", module)
    return module, params


def _example(
    model: Any,
    inputs: Sequence[Any],
    kwargs: Mapping[str, Any] | None,
    dynamic_shapes: Any,
    hints: Mapping[str, Any] | None = None,
    rows: Any = None,
) -> Example:
    """The example arguments, the sizes that calls decide, and which have rows."""
    example = example_of(model, inputs, kwargs)
    example = with_rows(model, inputs, example, rows)
    if is_exported(model):
        if dynamic_shapes is not None:
            raise TypeError(
                "an exported program says itself which sizes are dynamic: give "
                "dynamic_shapes to torch.export.export"
            )
        return dataclasses.replace(example, hints=hints)
    if dynamic_shapes is not None:
        example = with_dynamic_shapes(
            model, inputs, kwargs or {}, example, dynamic_shapes
        )
    return dataclasses.replace(example, sizes=with_hints(example.sizes, hints))


def _importer(model: Any, example: Example, run: Compilation) -> Callable[[], Importer]:
    """What begins to import a model."""
    around = None
    if example.signature is not None:
        around = Structure(example.signature, example.classes, example.datatypes)
    marks = row_marks(example.rows, run.profile)
    return lambda: Importer(
        model, example.types, example.names, around, example.sizes, marks
    )


def _partitioned(
    module: ModuleOp, run: Compilation, is_whole: Callable[[], bool] = lambda: True
) -> ModuleOp:
    """The program at the level `hcfg`: from the cache, or by the passes.

    It is kept there if it `is_whole` when the passes have run.
    """
    key = run.key(module)
    if key is not None and (program := run.programs.get(key)) is not None:
        with run.stage("hcfg") as stage:
            run.stages |= program.stages
            module = FastParser(run.context, program.module).parse_module()
            stage.detail = f"{size_of_hcfg(module)}, from the cache"
        return module
    lowered(module, run, "hcfg")
    if key is not None and is_whole():
        stages = {name: run.stages[name] for name in ("normal", "typed", "hcfg")}
        run.programs.put(key, Program(stages, printed(module, locations=True)))
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
            run.reach(name, module)
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
    dynamic_shapes: Any = None,
    hints: Mapping[str, Any] | None = None,
    rows: Any = None,
    stop_after: str | None = None,
) -> ModuleOp:
    """The module that `compile` makes of a model at a level; no kernel is compiled.

    `stop_after`: a pass or phase behind which nothing runs. Raises what `compile` does
    before there are kernels; PipelineError for `stop_after`.
    """
    options = options or CompileOptions()
    if not is_exported(model):
        check_model(model)
    example = _example(model, inputs, kwargs, dynamic_shapes, hints, rows)

    def begin(chosen: CompileOptions) -> Compilation:
        run = Compilation(chosen, listener or Silent(), see_nothing)
        if stop_after is not None:
            run.end(stop_after)
        return run

    def make(run: Compilation) -> ModuleOp:
        if is_exported(model):
            return lowered(_exported(model, example, run)[0], run, level)
        source = OnDemand(_importer(model, example, run), model, run)
        if level == "source":
            return source.source()
        return source.lowered(lambda m, _: lowered(m, run, level))

    disk = _answers(options)
    with deep_recursion(), rare_collections(), memo.kept_in(disk):
        return _rolled_or_not(begin, make, options)


def _answers(options: CompileOptions) -> memo.Disk | None:
    """Where torch's answers are kept from one process to the next."""
    if not options.cache:
        return None
    store = default_store("answers", memo.BOUND)
    return memo.Disk(store, versions(), compare=options.verify)


def _source_detail(module: ModuleOp) -> str:
    functions = sum(isinstance(op, FuncOp) for op in module.body.ops) - 1
    objects = sum(op.name == "dycl.object" for op in module.body.ops)
    return f"{functions} functions, {objects} objects"
