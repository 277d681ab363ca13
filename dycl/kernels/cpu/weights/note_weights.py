"""`cpu-note-weights`: a function says which of its arguments are weights.

A weight is the same in every call, as `dycl-mark-weights` has found. torch-mlir drops
attributes of arguments when it converts a function, and keeps those of the function.

Before:
    func.func @k(%x: !torch.vtensor<..>, %w: !torch.vtensor<..> {dycl.weight})

After:
    func.func @k(%x: .., %w: .. {dycl.weight}) attributes {dycl.weights = array<i64: 1>}

Needs:  attributes of arguments as they came in.
Leaves: `dycl.weights`, for `cpu-block-matmuls` and `cpu-split-weights`.
Skips:  functions without weights.
"""

from typing import Any

from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.weights.origins import WEIGHT, WEIGHTS


def note_weights(module: Any) -> None:
    """Write the arguments that are weights to their functions, as `dycl.weights`."""
    for func in functions(module):
        if "arg_attrs" not in func.attributes:
            continue
        marked = [
            index
            for index, attributes in enumerate(func.attributes["arg_attrs"])
            if WEIGHT in attributes
        ]
        if marked:
            func.attributes[WEIGHTS] = ir.DenseI64ArrayAttr.get(marked)
