"""`cpu-refuse-random`: a kernel has no state, so it draws no random numbers.

Before:
    %s = ml_program.global_load @global_seed

After:
    an error at the user's line

Needs:  linalg, where torch-mlir has turned drawing into a seed that is kept.
Leaves: modules in which every kernel gives the same for the same inputs.
Skips:  everything else.
"""

from typing import Any

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.mlir import location_of, ops


def refuse_random(module: Any) -> None:
    """Raise Refused for an op that draws random numbers."""
    for op in ops(module.operation):
        if op.name.startswith("ml_program.global_"):
            what = "draws random numbers, which a kernel cannot"
            raise Refused(what, location_of(op.location))
