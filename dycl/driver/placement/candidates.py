"""The backends that are asked how fast they are, and their code for each kernel."""

from collections.abc import Iterator
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region, SSAValue

from dycl.backends import backend_of, candidate_names, left_out
from dycl.diag import CodedError, CompileErrors, PassFailed, remark
from dycl.driver.compilation import Compilation
from dycl.driver.placement.on_gpu import gpu_runner
from dycl.driver.placement.timing import Run, runner
from dycl.driver.target_code import compile_kernels
from dycl.ir import LaunchOp, ParamOp, ReturnOp
from dycl.ir.claims import kernels_of
from dycl.ir.cloning import clone
from dycl.ir.dialect.model import WEIGHT
from dycl.ir.functions import BACKEND, OURS
from dycl.ir.rewriting import append, relocate
from dycl.pipelines import Pipeline
from dycl.runtime.cuda import CudaError

DIVIDE = (
    "dycl-annotate-backends,dycl-merge-backend-regions,dycl-partition-backends,"
    "dycl-check-hcfg"
)
"""Kernels that name a backend are parted between that one and our own."""


def others(run: Compilation) -> dict[str, Any]:
    """The backends besides our own that can be loaded here, by name, in order."""
    found: dict[str, Any] = {}
    for name in candidate_names():
        try:
            backend = backend_of(name, run.options.targets[0], run.options)
        except PassFailed:
            continue  # It is not installed, which nobody has asked for.
        if not getattr(backend, "why_not_here", str)():
            found[name] = backend
    return found


def our_runs(module: ModuleOp, backend: Any, run: Compilation) -> dict[str, Run]:
    """What launches each kernel by our own backend, in the layouts of our own host.

    Kernels that cannot be run alone are missing.
    """
    copy = clone(module)
    host = Pipeline.parse("host").expanded(left_out(run.options))
    run.phase("host", host, copy, shown=False)
    library = compile_kernels(copy, backend, run.options)
    found: dict[str, Run] = {}
    for spec in library.specs:
        if (launch := runner(library[spec.name], spec)) is not None:
            found[spec.name] = launch
    return found


def their_runs(
    module: ModuleOp, name: str, ours: Any, run: Compilation
) -> Iterator[tuple[str, list[Run]]]:
    """Kernel -> what launches its parts, if another backend gets all that it can take.

    `ours`: our own backend, for the rest. Kernels of which it takes nothing are
    missing, and those that it fails to compile, with a remark.
    """
    for kernel in kernels_of(module):
        if BACKEND in kernel.attributes or not is_closed(kernel):
            continue
        alone = _alone(kernel, name)
        try:
            parts = _parts(alone, ours, run)
        except (CodedError, CompileErrors, CudaError) as error:
            remark(kernel, f"not for {name}", str(error).partition("\n")[0])
        else:
            if parts:
                yield kernel.sym_name.data, parts


def _parts(alone: ModuleOp, ours: Any, run: Compilation) -> list[Run]:
    """What launches the parts of a kernel; []: none is the other backend's."""
    run.phase("hcfg", Pipeline.parse(DIVIDE), alone, shown=False)
    if all(_is_ours(kernel) for kernel in kernels_of(alone)):
        return []
    library: Any = compile_kernels(alone, ours, run.options)
    if hasattr(library, "on_device"):
        runs = [gpu_runner(library.on_device, spec) for spec in library.specs]
    else:
        runs = [runner(library[spec.name], spec) for spec in library.specs]
    return [launch for launch in runs if launch is not None]


def _is_ours(kernel: FuncOp) -> bool:
    return kernel.attributes.get(BACKEND, _OURS) == _OURS


_OURS = StringAttr(OURS)


def is_closed(kernel: FuncOp) -> bool:
    """Whether the sizes of all that a kernel takes and gives are static."""
    return "?" not in str(kernel.function_type)


def _alone(kernel: FuncOp, backend: str) -> ModuleOp:
    """A program that launches a copy of a kernel once, by a backend."""
    copy = clone(kernel)
    copy.attributes[BACKEND] = StringAttr(backend)
    signature = copy.function_type
    inputs, outputs = signature.inputs.data, signature.outputs.data
    entry = FuncOp("forward", (inputs, []), Region(Block(arg_types=inputs)))
    entry.attributes["dycl.entry"] = UnitAttr()
    block, given = entry.body.block, list[SSAValue]()
    for index, argument in enumerate(block.args):
        if copy.arg_attrs is not None and WEIGHT in copy.arg_attrs.data[index].data:
            weight = ParamOp(f"weight{index}", argument.type)
            append(block, weight, source=kernel)
            given.append(weight.result)
        else:
            given.append(argument)
    launch = LaunchOp(copy.sym_name.data, given, outputs)
    append(block, launch, ReturnOp(launch.results), source=kernel)
    relocate(entry, kernel)
    return ModuleOp([entry, copy])
