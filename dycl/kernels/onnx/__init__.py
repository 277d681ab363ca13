"""Kernels as ONNX graphs, for the engines of others that read them.

    kernel in the torch dialect ─ graph.py ─▶ ONNX model ─▶ an engine of `dycl.kernels`

`table.py` has what each op of torch is in ONNX; the functions are in the files of their
topics: `elementwise`, `shapes`, `reductions`, `contractions`. An op that is missing, or
that means something else in ONNX for the arguments it has, is left to our own kernels.
`dycl.runtime.engines.protobuf` writes the model, without the package `onnx`.

What is handed over means what eager's op means, for NaN and ties as well: where ONNX
leaves that open, the graph says it in other ops. `careful.py` does so for what one
engine makes of a node and others do not: a `Reader` says for which.
"""

from dycl.kernels.onnx.graph import model_of, model_of_op, reason_against
from dycl.kernels.onnx.table import Reader, Unfit

__all__ = [
    "Reader",
    "Unfit",
    "model_of",
    "model_of_op",
    "reason_against",
]
