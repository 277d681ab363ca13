"""Which values of a function have one sample for each of the same number of samples.

Linalg asks of an op that its operands agree in the sizes of its loops. So tensors that
meet in an op which computes each sample alone have equally many samples, and an index
that says how many a `tensor.empty` has says it of all of them.
"""

from collections.abc import Mapping
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.mlir import ir


def batch_dim(kind: Any) -> int | None:
    """The dimension along which a tensor or memref has samples, one behind the other.

    A run decides its size, and no other; those before it are 1. None: it is no batch.
    """
    if not isinstance(kind, ir.RankedTensorType | ir.MemRefType):
        return None
    dynamic = [dim for dim in range(kind.rank) if kind.is_dynamic_dim(dim)]
    if len(dynamic) != 1:
        return None
    (place,) = dynamic
    *outer, _ = list(kind.shape)[: place + 1]
    inner = list(kind.shape)[place + 1 :]
    return place if all(size == 1 for size in outer) and 0 not in inner else None


def is_batch(kind: Any) -> bool:
    """Whether a type is that of a batch."""
    return batch_dim(kind) is not None


def counts_samples(op: Any) -> bool:
    """Whether an op asks how many samples a tensor has."""
    return (
        op.name == "tensor.dim"
        and (place := batch_dim(op.operands[0].type)) is not None
        and constant_index(op.operands[1]) == place
    )


def constant_index(value: Any) -> int | None:
    """The number that an index is; None: it is not known."""
    producer = build.owner(value)
    if producer is None or producer.name != "arith.constant":
        return None
    return int(producer.attributes["value"].value)


class Sizes:
    """Classes of values, tensors and indices, that are of one number of samples."""

    def __init__(self, places: Mapping[Any, int] | None = None):
        """Nothing is known to be equal. `places`: the batches of a known size, and the
        dimension that samples of each lie along; None: a run decides the size."""
        self._places = places
        self._parent: dict[Any, Any] = {}
        self._members: dict[Any, list[Any]] = {}

    @property
    def counts(self) -> int:
        """How many indices say what the size of a batch is, where one is made."""
        return 1 if self._places is None else 0

    def dim_of(self, value: Any) -> int | None:
        """The dimension of a value that samples lie along; None: it is no batch."""
        if self._places is None:
            return batch_dim(value.type)
        return self._places.get(value)

    def is_batch(self, value: Any) -> bool:
        """Whether a value has samples."""
        return self.dim_of(value) is not None

    def count_of(self, batch: Any) -> int | None:
        """How many samples a batch has; None: a run decides."""
        dim = self.dim_of(batch)
        if self._places is None or dim is None:
            return None
        return int(batch.type.shape[dim])

    def with_samples(self, value: Any, count: int) -> Any:
        """The type of a value that has so many samples; of another value as it is."""
        dim = self.dim_of(value)
        if dim is None:
            return value.type
        shape = list(value.type.shape)
        shape[dim] = count
        return ir.RankedTensorType.get(shape, value.type.element_type)

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
