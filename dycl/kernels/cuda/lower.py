"""The way of a kernel to the tile level as data: torch -> linalg -> Triton functions.

The first steps are those of the CPU, which make of torch's ops what eager computes. Its
blocks of channels and its weights in other forms have no place here.
"""

from collections.abc import Iterator
from typing import Any

from dycl.kernels.cpu.check import argument_blocks, kernel_name, result_blocks
from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.lower import (
    FIRST_OF_THE_CPU,
    LoweringFailed,
    Step,
    run_step,
    step_name,
)
from dycl.kernels.cpu.lower import LINALG as CPU_LINALG
from dycl.kernels.cpu.mlir import MLIRError, functions
from dycl.kernels.cpu.selection.keep_open_topk import keep_open_topk
from dycl.kernels.cpu.torch_fixes.write_scatters import write_scatters
from dycl.kernels.cpu.weights.note_weights import note_weights
from dycl.kernels.cuda.tile.program import Program
from dycl.kernels.cuda.tile.write import Borders, write
from dycl.schedules.cuda_products import dot_plan
from dycl.schedules.cuda_tuning import Planner

_NOT_HERE: tuple[Step, ...] = (
    note_weights,
    keep_open_topk,  # a template has a known number of elements
    write_scatters,  # a scatter has a template of its own
)


def _shared() -> Iterator[tuple[Step, str]]:
    for step, reason in CPU_LINALG:
        if step is FIRST_OF_THE_CPU:
            return
        if step not in _NOT_HERE:
            yield step, reason


LINALG: tuple[tuple[Step, str], ...] = (
    *_shared(),
    (
        "linalg-generalize-named-ops,canonicalize,cse",
        "templates go by loops, not names",
    ),
)

_NAMES = [step_name(step) for step, _ in LINALG]
assert len(_NAMES) < len(CPU_LINALG), "the CPU's own steps have another beginning"


def to_linalg(module: Any) -> dict[str, Borders]:
    """Lower a checked module to linalg on tensors, in place; how its kernels' arguments
    and results lie in memory. Raises LoweringFailed."""
    borders = {
        kernel_name(f): Borders(tuple(argument_blocks(f)), tuple(result_blocks(f)))
        for f in functions(module)
    }
    for step, _ in LINALG:
        try:
            run_step(module, step)
        except (MLIRError, Refused) as error:
            raise LoweringFailed("linalg", error) from error
    return borders


def to_tiles(
    function: Any, borders: Borders | None = None, planner: Planner = dot_plan
) -> Program:
    """The program of a kernel in linalg. Raises LoweringFailed."""
    try:
        return write(function, borders, planner)
    except Refused as error:
        raise LoweringFailed("tile", error) from error
