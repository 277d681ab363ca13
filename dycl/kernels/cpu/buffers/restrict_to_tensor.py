"""`cpu-restrict-to-tensor`: memory that is seen as a tensor belongs to that tensor.

It is so for what `tm-tensor-bufferize` makes: each result is a new buffer. Without the
word, one-shot-bufferize refuses kernels with scans and sorts.

Before:
    %t = bufferization.to_tensor %m

After:
    %t = bufferization.to_tensor %m restrict

Needs:  `tm-tensor-bufferize` just before, and nothing else that makes this op.
Leaves: everything else.
Skips:  nothing.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops


def restrict_to_tensor(module: Any) -> None:
    """Say of every memref seen as a tensor that no other tensor shares it."""
    for op in ops(module.operation):
        if op.name == "bufferization.to_tensor":
            op.attributes["restrict"] = ir.UnitAttr.get()
