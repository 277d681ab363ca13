"""From kernels and host to a network: code for each target, weights, and an account."""

import dataclasses
from collections.abc import Mapping
from copy import copy
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from dycl.backends import backends_for, each_backend
from dycl.compiled import CompiledModel
from dycl.driver.compilation import Compilation
from dycl.driver.finished import Networks, bytes_told, finished
from dycl.driver.inputs import Example
from dycl.driver.ir_dump import printed
from dycl.driver.output_sizes import output_sizes
from dycl.driver.placement import count_copies, place
from dycl.driver.profiles import note_likely_sides
from dycl.driver.row_inputs import row_form
from dycl.driver.target_code import code_of, compile_kernels, kernels_text
from dycl.driver.trees import read_only
from dycl.ir import EffectOp
from dycl.ir.cloning import clone
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.functions import entry_function
from dycl.ir.host.memory import memories_of
from dycl.ir.walking import walk
from dycl.options import AUTO, CompileOptions
from dycl.report import build_graph
from dycl.report.narrowing import Narrowing, measure
from dycl.report.placement import Placement


def finish(
    module: ModuleOp,
    run: Compilation,
    weights: Mapping[str, Any],
    aliases: Mapping[str, str] | None = None,
    example: Example | None = None,
    key: str | None = None,
) -> CompiledModel:
    """The network of a module at the level `hcfg`, or at `host` if the run began there.

    `weights` as NumPy arrays by name; `aliases`: second names of some; `example`:
    example inputs, if there are any; `key`: under which the network is kept, if it is.
    Raises what `compile` does.
    """
    rows, run = _rows(module, run)
    backend, *others = backends_for(run.options)
    asks = run.options.backend == AUTO and run.level != "host"
    placement = place(module, run) if asks else None
    graph = build_graph(module)
    run.reach("host", module)
    recorded = dict(run.options.recorded)
    if run.profile is not None:
        known = graph if placement is None or placement.why_not else None
        recorded["profile"] = note_likely_sides(module, known, run.profile, rows)
    from dycl.host import describe_outputs, print_python
    from dycl.host.python import host_function

    kernels = None if key is None else kernels_text(module)
    copies = [clone(module) for _ in others]
    first, last = each_backend(run.options)[0], each_backend(run.options)[-1]
    code, why_python = code_of(module, backend, _with(run, first))
    codes = [code]
    for one, other in zip(copies, others, strict=True):
        codes.append(code_of(one, other, _with(run, last), shown=False)[0])
    text = print_python(module, run.options.max_iterations)
    sizes = output_sizes(host_function(module), memories_of(module))
    with run.stage("weights") as stage:
        compiled = CompiledModel(
            text,
            codes,
            weights,
            run.stages,
            graph,
            describe_outputs(module, sizes),
            aliases,
            why_python,
            None if example is None else read_only(example.signature, module),
            printed(module, locations=True, texts=run.texts),
            rows,
        )
        compiled.options = recorded
        compiled.placement = _with_copies(placement, module)
        stage.detail = bytes_told(compiled)
    compiled.narrowing = _narrowing(module, compiled, example, run)
    run.dump.write_result(compiled)
    is_as_asked = run.options.host == "python" or code.native is not None
    if key is not None and kernels is not None and is_as_asked:
        Networks().put(key, finished(kernels, compiled))
    return compiled


def _rows(
    module: ModuleOp, run: Compilation
) -> tuple[dict[str, Any] | None, Compilation]:
    """What the runtime has to know of rows, and the run: where threads share rows, they
    share no kernels."""
    entry = entry_function(module)
    rows = None if entry is None else row_form(entry)
    if rows is not None and rows["shared"]:
        run = _with(run, dataclasses.replace(run.options, threads=1))
    return rows, run


def _with_copies(placement: Placement | None, module: ModuleOp) -> Placement | None:
    if placement is None:
        return None
    return dataclasses.replace(placement, copies=count_copies(module))


def _with(run: Compilation, options: CompileOptions) -> Compilation:
    """The same run, for what one of several backends does from the host on."""
    made = copy(run)
    made.options = options
    return made


def _narrowing(
    module: ModuleOp,
    compiled: CompiledModel,
    example: Example | None,
    run: Compilation,
) -> Narrowing | None:
    """What rounding to other numbers than f32 changes; None: there is none."""
    forms = {run.options.weight_dtype, run.options.matmul_dtype} - {"f32"}
    if not forms:
        return None
    to = "bf16" if "bf16" in forms else forms.pop()
    with run.stage(to) as stage:
        measured = _measured(module, compiled, example, run)
        found = dataclasses.replace(measured, to=to)
        stage.detail = str(found)
    return found


def _measured(
    module: ModuleOp,
    compiled: CompiledModel,
    example: Example | None,
    run: Compilation,
) -> Narrowing:
    """What rounding changes: kernels with f32 alone, and the same host. What a GPU
    rounds is measured on the processor."""
    if example is None:
        return Narrowing(unknown="there are no example inputs")
    called = {op.function_name for op in walk(module) if isinstance(op, EffectOp)}
    if called - {*CHECKS.values()}:
        return Narrowing(unknown="a run prints, or calls functions of the user's")
    options = dataclasses.replace(run.options, weight_dtype="f32", matmul_dtype="f32")
    narrow = compiled.with_python_host()
    if run.options.matmul_dtype == "tf32":
        from dycl.kernels.reference import ReferenceBackend
        from dycl.kernels.tf32 import cut_products

        backend: Any = ReferenceBackend()
        cutting = ReferenceBackend(within=cut_products)
        narrow = narrow.with_library(compile_kernels(module, cutting, options))
    else:
        backend, *_ = backends_for(options)
    wide = narrow.with_library(compile_kernels(module, backend, options))
    args, kwargs = example.arguments
    return measure(narrow, wide, args, kwargs)
