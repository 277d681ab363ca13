"""Which values of a function have one sample for each of the same number of samples.

Linalg asks of an op that its operands agree in the sizes of its loops. So tensors that
meet in an op which computes each sample alone have equally many samples, and an index
that says how many a `tensor.empty` has says it of all of them.
"""

from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.mlir import ir


def is_batch(kind: Any) -> bool:
    """Whether a type is a tensor of which a run decides the first size, and no other."""
    return (
        isinstance(kind, ir.RankedTensorType)
        and kind.rank > 0
        and kind.is_dynamic_dim(0)
        and not any(kind.is_dynamic_dim(dim) for dim in range(1, kind.rank))
        and 0 not in list(kind.shape)[1:]
    )


def counts_samples(op: Any) -> bool:
    """Whether an op asks how many samples a tensor has."""
    return (
        op.name == "tensor.dim"
        and is_batch(op.operands[0].type)
        and constant_index(op.operands[1]) == 0
    )


def constant_index(value: Any) -> int | None:
    """The number that an index is; None: it is not known."""
    producer = build.owner(value)
    if producer is None or producer.name != "arith.constant":
        return None
    return int(producer.attributes["value"].value)


class Sizes:
    """Classes of values, tensors and indices, that are of one number of samples."""

    def __init__(self):
        """Nothing is known to be equal."""
        self._parent: dict[Any, Any] = {}
        self._members: dict[Any, list[Any]] = {}

    def same(self, values: list[Any]) -> None:
        """Note that these are of the same number of samples."""
        for value in values[1:]:
            one, other = self.of(values[0]), self.of(value)
            if one != other:
                self._parent[other] = one
                members = self._members.pop(other, [other])
                self._members.setdefault(one, [one]).extend(members)

    def of(self, value: Any) -> Any:
        """A value that stands for all that are of its number of samples."""
        while value in self._parent:
            value = self._parent[value]
        return value

    def are_same(self, one: Any, other: Any) -> bool:
        """Whether two values are known to be of the same number of samples."""
        return bool(self.of(one) == self.of(other))

    def members(self, value: Any) -> list[Any]:
        """All values known to be of the same number of samples."""
        root = self.of(value)
        return self._members.get(root, [root])
