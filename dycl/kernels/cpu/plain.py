"""The contractions that become plain loops: correct, and far from what is possible."""

from typing import Any

from dycl.kernels.cpu.blocks.block_contractions import NEST
from dycl.kernels.cpu.check import kernel_name
from dycl.kernels.cpu.code import PlainContraction
from dycl.kernels.cpu.mlir import functions, location_of, ops
from dycl.kernels.cpu.weights.narrow_products import ROUND
from dycl.kernels.cpu.weights.pair_halves import PAIR

_NAMED = (
    "linalg.conv_",
    "linalg.depthwise_conv_",
    "linalg.matmul",
    "linalg.batch_matmul",
    "linalg.pooling_",
)
_COPIES = ("pack", "unpack", ROUND, PAIR)


def plain_contractions(module: Any) -> list[PlainContraction]:
    """Those of a module: named ops on tensors, or marked ones on memrefs.

    Named ops are asked for before their loops get an order, after which they have no
    name; marked ones after `cpu-generate-nests`.
    """
    result: list[PlainContraction] = []
    for func in functions(module):
        for op in ops(func):
            what = op.name if op.name.startswith(_NAMED) else ""
            if NEST in op.attributes and op.attributes[NEST].value not in _COPIES:
                what = str(op.attributes[NEST].value)
            if what:
                location = location_of(op.location)
                result.append(PlainContraction(kernel_name(func), what, location))
    return result
