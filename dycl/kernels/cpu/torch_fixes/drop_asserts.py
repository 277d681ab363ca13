"""`cpu-drop-asserts`: torch-mlir's run-time assertions go.

They end a loop early, which keeps it from being vectorised, and they end the process,
where eager raises or does not ask: torch-mlir asserts that batch_norm's variance is
not zero, which eager does not, and that gathered indices are in range, which
`cpu-clamp-gathers` sees to.

Before:
    cf.assert %in_range, "index must be smaller than dim size"

After:
    nothing; what only computed %in_range goes with the next canonicalize

Needs:  linalg.
Leaves: no `cf.assert`.
Skips:  everything else.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ops


def drop_asserts(module: Any) -> None:
    """Erase `cf.assert`."""
    for op in ops(module.operation):
        if op.name == "cf.assert":
            op.erase()
