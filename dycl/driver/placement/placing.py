"""A program whose kernels go to the backends with which a call is fastest."""

from collections import Counter
from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp, StringAttr

from dycl.analysis.control.frequencies import frequencies
from dycl.backends import backend_of
from dycl.diag import SourceLoc
from dycl.driver.compilation import Compilation
from dycl.driver.placement.candidates import DIVIDE, is_closed, others
from dycl.driver.placement.counted import note_runs
from dycl.driver.placement.measured import Times, measured
from dycl.driver.placement.on_gpu import copy_times
from dycl.ir import LaunchOp, host
from dycl.ir.claims import kernels_of
from dycl.ir.costs import set_times
from dycl.ir.functions import BACKEND, OURS
from dycl.ir.host.memories import COPY, GPU
from dycl.ir.walking import walk
from dycl.pipelines import Pipeline
from dycl.report.placement import PlacedKernel, Placement
from dycl.runtime.cuda import CudaError
from dycl.runtime.targets import NATIVE


def place(module: ModuleOp, run: Compilation) -> Placement:
    """Divide a program at the level `hcfg` among the backends of this machine.

    The program changes in place, as far as it gets faster. What any backend refuses
    stays with our own. CompileError (DY506): the profile is of another network.
    """
    if run.options.targets != (NATIVE,):
        return Placement(why_not="it is compiled for other machines than this one")
    candidates = others(run)
    copies = None
    if GPU in candidates:
        try:
            copies = copy_times()
        except CudaError:  # It has no memory left, say: no kernel could run there.
            del candidates[GPU]
    if not candidates:
        return Placement(
            why_not="no other backend is installed; there are 'dycl[onnxruntime]' and "
            "'dycl[openvino]'"
        )
    with run.stage("placement") as stage:
        ours = backend_of(OURS, NATIVE, run.options)
        times, cached = measured(module, ours, candidates, run)
        for kernel in kernels_of(module):
            if (known := times.get(kernel.sym_name.data)) is not None:
                set_times(kernel, known)
        if run.profile is not None:
            note_runs(module, run.profile)
        runs = _runs(module)
        choose = _choosing(copies)
        run.phase("hcfg", choose, module, shown=False)
        rows = _rows(module, times, runs)
        moved = sum(row.backend != OURS for row in rows)
        if moved:
            run.phase("hcfg", Pipeline.parse(DIVIDE), module)
        stage.detail = f"{moved} of {len(rows)} kernels are not for {OURS}"
        stage.detail += ", timed before" * cached
    return Placement(rows, tuple(candidates), counted=run.profile is not None)


def count_copies(module: ModuleOp) -> int:
    """How many launches of a host copy a tensor between two memories."""
    copy = StringAttr(COPY)
    names = {
        kernel.sym_name.data
        for kernel in kernels_of(module)
        if kernel.attributes.get(BACKEND) == copy
    }
    launches = [op for op in walk(module) if isinstance(op, host.LaunchOp)]
    return sum(launch.kernel_name in names for launch in launches)


def _choosing(copies: tuple[float, float] | None) -> Pipeline:
    """The pass that chooses, told what copies take, if there is a GPU."""
    pipeline = Pipeline.parse("dycl-place-kernels")
    if copies is not None:
        microseconds, speed = copies
        for option, value in (
            ("copy-microseconds", microseconds),
            ("copy-gigabytes-per-second", speed),
        ):
            pipeline = pipeline.with_option("dycl-place-kernels", option, value)
    return pipeline


def _runs(module: ModuleOp) -> dict[str, float]:
    """How often a call launches each kernel, on average."""
    result: dict[str, float] = {}
    for launch, runs in frequencies(module).items():
        result[launch.kernel_name] = result.get(launch.kernel_name, 0.0) + runs
    return result


def _rows(
    module: ModuleOp, times: Times, runs: Mapping[str, float]
) -> tuple[PlacedKernel, ...]:
    """The kernels of a program, with the backends that they name."""
    launches = Counter(
        op.kernel_name for op in walk(module) if isinstance(op, LaunchOp)
    )
    result: list[PlacedKernel] = []
    for kernel in kernels_of(module):
        name, backend = kernel.sym_name.data, kernel.attributes.get(BACKEND)
        result.append(
            PlacedKernel(
                name,
                SourceLoc.of(kernel),
                launches[name],
                times.get(name, {}),
                backend.data if isinstance(backend, StringAttr) else OURS,
                runs.get(name, 0.0),
                is_open=not is_closed(kernel),
            )
        )
    return tuple(result)
