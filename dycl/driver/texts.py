"""Compiling IR text: a program continues from the level that it is written at.

The text is what `--keep` writes, or `dycl show` prints, and may be edited. Weights come
from a file; what the text says of them is checked against it.
"""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import MemRefType, ModuleOp

from dycl.compiled import CompiledModel
from dycl.diag import CodedError, CompileError, CompileErrors, PassFailed
from dycl.driver.compilation import Compilation, Silent, see_nothing, verify_module
from dycl.driver.finishing import finish
from dycl.driver.models import lowered
from dycl.driver.process import deep_recursion, rare_collections
from dycl.ir import ParamOp, host
from dycl.ir.host.convert import host_type
from dycl.ir.host.types import dtype_of
from dycl.ir.placing_parser import decode, parse_text
from dycl.ir.walking import walk
from dycl.options import CompileOptions
from dycl.passes.check_normal import CheckNormalPass
from dycl.passes.check_shapes import CheckShapesPass
from dycl.passes.check_typed import CheckTypedPass
from dycl.report import Listener
from dycl.runtime.dtypes import dtype_name
from dycl.runtime.weights import given_weights

Weights = Mapping[str, Any] | Path | str


def compile_text(
    text: str | Path,
    weights: Weights | None = None,
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    *,
    start_from: str | None = None,
    name: str = "<text>",
    **overrides: Any,
) -> CompiledModel:
    """Compile IR text of any level: source, normal, typed, hcfg or host.

    `text`: the program, or the path of its file. `weights`: arrays or tensors by name,
    or a safetensors file. `start_from`: the pass or phase to go on with; by default the
    one that follows the level of the text. Options are those of `dycl.compile`.

    Raises ParseError: not IR; PassFailed: not valid, or of no level; CompileErrors and
    CompileError as `dycl.compile`, also for weights that are missing or differ;
    PipelineError for `start_from`; OSError.
    """
    options = dataclasses.replace(options or CompileOptions(), **overrides)
    run = Compilation(options, listener or Silent(), see_nothing)
    with deep_recursion(), rare_collections():
        module = _begun(run, text, name, start_from)
        given = {} if weights is None else given_weights(weights)
        if run.level != "host":
            lowered(module, run, "hcfg")
        _check(run, module, given)
        return finish(module, run, given)


def lower_text(
    text: str | Path,
    level: str,
    options: CompileOptions | None = None,
    listener: Listener | None = None,
    *,
    start_from: str | None = None,
    stop_after: str | None = None,
    name: str = "<text>",
) -> ModuleOp:
    """The module that passes make of IR text at a level; no kernel is compiled.

    `stop_after`: a pass or phase behind which nothing runs. Raises what `compile_text`
    does; PipelineError also where the text is beyond that level, or that pass.
    """
    run = Compilation(options or CompileOptions(), listener or Silent(), see_nothing)
    with deep_recursion(), rare_collections():
        module = _begun(run, text, name, start_from)
        if stop_after is not None:
            run.end(stop_after)
        return lowered(module, run, level)


def _begun(
    run: Compilation, text: str | Path, name: str, start_from: str | None
) -> ModuleOp:
    """The parsed module; the run goes on from its level."""
    if isinstance(text, Path):
        text, name = decode(text.read_bytes(), str(text)), str(text)
    with run.stage("text") as stage:
        module = parse_text(run.context, text, name)
        verify_module(module, "as it is written")
        level = level_of(module)
        stage.detail = f"of the level {level}"
        run.keep(level, module)
    run.begin(level, start_from)
    return module


def level_of(module: ModuleOp) -> str:
    """The level of a program: the last one whose check accepts it.

    PassFailed: there is no entry function, or more than one.
    """
    hosts = [op for op in module.ops if isinstance(op, host.FuncOp)]
    entries = [op for op in module.ops if "dycl.entry" in op.attributes]
    if len(hosts) + len(entries) != 1:
        raise PassFailed(
            "a program has one function to run, a host.func or one that is marked "
            f"`dycl.entry`; this module has {len(hosts) + len(entries)}",
            module,
        )
    if hosts:
        return "host"
    if any("dycl.kernel" in op.attributes for op in module.ops):
        return "hcfg"
    for level, check in (("typed", CheckTypedPass), ("normal", CheckNormalPass)):
        try:
            CheckNormalPass().apply(_NO_CONTEXT, module)
            check().apply(_NO_CONTEXT, module)
        except (CodedError, CompileErrors):
            continue
        return level
    return "source"


_NO_CONTEXT: Any = None
"""Checks change nothing and make nothing."""


def _check(run: Compilation, module: ModuleOp, weights: Mapping[str, Any]) -> None:
    """CompileErrors: weights or shapes are not what the text says."""
    with run.stage("checks"):
        errors = [
            CompileError("DY604", what, op)
            for op in walk(module)
            if isinstance(op, ParamOp | host.ParamOp)
            and (what := _why_unfit(op, weights))
        ]
        if errors:
            raise CompileErrors(errors)
        CheckShapesPass().apply(run.context, module)


def _why_unfit(op: ParamOp | host.ParamOp, weights: Mapping[str, Any]) -> str | None:
    """What is wrong with the weight of an op, as a sentence."""
    name, wanted = op.path.data, op.result.type
    if name not in weights:
        return f"there is no weight for `{name}`"
    buffer = wanted if isinstance(wanted, MemRefType) else host_type(wanted)
    if not isinstance(buffer, MemRefType):
        return None  # The check of the level says so.
    array: Any = np.asarray(weights[name])
    shape = tuple(buffer.get_shape())
    if (dtype_name(array), array.shape) == (dtype_of(buffer), shape):
        return None
    return (
        f"`{name}` is {dtype_of(buffer)} {list(shape)} here, but the given "
        f"weight is {dtype_name(array)} {list(array.shape)}"
    )
