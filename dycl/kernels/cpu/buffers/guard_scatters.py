"""`cpu-guard-scatters`: into a tensor without elements, nothing is written.

Indices are clamped, and the run raises what eager does (`dycl.analysis.torch_fixes`);
but no index is inside of a dimension whose size is 0 in a run.

Before:
    tm_tensor.scatter ins(%v, %at) outs(%x : memref<3x?xf32>)

After:
    %is_there = arith.cmpi ne, (memref.dim %x, 1), 0
    scf.if %is_there {
      tm_tensor.scatter ins(%v, %at) outs(%x : memref<3x?xf32>)
    }

Needs:  scatters into memrefs.
Leaves: what is written where there are elements.
Skips:  sizes that are known.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops

_NOT_EQUAL = 1


def guard_scatters(module: Any) -> None:
    """Write where there is an element."""
    for op in [o for o in ops(module.operation) if o.name == "tm_tensor.scatter"]:
        written = op.operands[len(op.operands) - 1]
        if isinstance(written.type, ir.MemRefType) and not op.results:
            sizes = enumerate(written.type.shape)
            if open_ := [dim for dim, size in sizes if size < 0]:
                _guard(op, written, open_)


def _guard(op: Any, written: Any, dims: list[int]) -> None:
    with ir.InsertionPoint(op), op.location:
        tests = [
            build.compare_integers(_NOT_EQUAL, build.size(written, dim), build.index(0))
            for dim in dims
        ]
        is_there = tests[0]
        for test in tests[1:]:
            is_there = build.binary("arith.andi", is_there, test)

        def write() -> list[Any]:
            op.clone()
            return []

        build.choice(is_there, write)
    op.erase()
