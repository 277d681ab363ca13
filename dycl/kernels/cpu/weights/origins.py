"""Which values of a kernel depend on weights alone, in linalg on tensors.

`cpu-note-weights` says which arguments are weights.
"""

import math
from typing import Any

from dycl.kernels.cpu.mlir import ir, ops

WEIGHT = "dycl.weight"
"""On an argument of a kernel: it is the same in every call."""
WEIGHTS = "dycl.weights"
"""On a function: the numbers of those arguments."""
PREPARED = "dycl.prepared"
"""On an op: what it makes of weights is worth its size."""
_SPARE = 64
"""Elements that a value may have more than the weights that it is made of."""


class WeightValues:
    """The values of a function that are computed from weights and constants alone.

    What blows a weight up, as a bias that is repeated for each pixel, is not one: it
    costs more to read than to compute. What is made of constants is one from a sine or
    the like on, of a number or two for each element.
    """

    def __init__(self, func: Any, with_tables: bool = True):
        """`with_tables`: those that are made of constants alone as well."""
        """Look at every op of the function's body once."""
        self.block = func.regions[0].blocks[0]
        numbers = list(func.attributes[WEIGHTS]) if WEIGHTS in func.attributes else ()
        self.arguments = [self.block.arguments[i] for i in numbers]
        self._weights = set(self.arguments)
        self._constants: set[Any] = set()
        self._cheap: set[Any] = set()
        """What is made of constants, and not worth a buffer by itself."""
        self._most = _FEW if with_tables else 0
        for op in self.block.operations:
            self._visit(op.operation)

    def __contains__(self, value: Any) -> bool:
        return value in self._weights

    def is_constant(self, value: Any) -> bool:
        """Whether a value is made of constants alone."""
        return value in self._constants

    def _visit(self, op: Any) -> None:
        dialect = op.name.split(".")[0]
        if dialect not in ("arith", "math", "tensor", "linalg") or not op.results:
            return
        read = outside_values(op)
        if all(value in self._constants for value in read) and op.name in _CONSTANT:
            self._constants.update(op.results)
            return
        is_known = [v in self._weights or v in self._constants for v in read]
        size = sum(_elements(result.type) for result in op.results)
        is_table = size <= self._most and all(
            known or v in self._cheap for v, known in zip(read, is_known, strict=True)
        )
        if is_table:
            (self._weights if _is_costly(op) else self._cheap).update(op.results)
        of_weights = [v for v in read if v in self._weights]
        if not of_weights or not all(is_known):
            return
        if PREPARED in op.attributes:
            self._weights.update(op.results)
            return
        largest = max(_elements(v.type) for v in of_weights)
        if all(_elements(r.type) <= 2 * largest + _SPARE for r in op.results):
            self._weights.update(op.results)


def _is_costly(op: Any) -> bool:
    """Whether an element of it takes longer than reading it."""
    return any(inner.name in _COSTLY for inner in ops(op))


_COSTLY = tuple(
    f"math.{name}" for name in ("sin", "cos", "tan", "exp", "log", "powf", "pow")
)
_FEW = 1 << 16
"""Elements of a table of constants, at most."""


def outside_values(op: Any) -> list[Any]:
    """The values that an op reads, those that its regions take from outside as well."""
    if not len(op.regions):
        return list(op.operands)
    within = ops(op)
    inside = {result for inner in within for result in inner.results}
    for region in op.regions:
        for block in region.blocks:
            inside.update(block.arguments)
    inside.difference_update(op.results)
    outside = [v for inner in within for v in inner.operands if v not in inside]
    return list(dict.fromkeys(outside))


_CONSTANT = (
    "arith.constant",
    "arith.truncf",
    "arith.extf",
    "tensor.empty",
    "linalg.fill",
)


def _elements(kind: Any) -> int:
    if not isinstance(kind, ir.RankedTensorType):
        return 1
    return math.prod(kind.shape) if kind.has_static_shape else 1 << 62
