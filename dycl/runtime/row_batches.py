"""What native code has to know of rows that it runs: inputs, results, what is decided.

Rows of a network for one row are run one by one, those of a network for many in groups.
Both are called with batches, and put what they give into batches, if every call returns
the same structure of tensors with rows, and numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.inputs import InputSpec
from dycl.runtime.library import address_if_any
from dycl.runtime.signature import items_of

if TYPE_CHECKING:
    from dycl.runtime.native import NativeHost

_MOST_RANK = 16


class Leaf(NamedTuple):
    """What rows return at one place."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    """Behind the dimension of rows."""
    is_number: bool


class Batches(NamedTuple):
    """What rows are run on, and what they give."""

    native: NativeHost
    specs: Sequence[InputSpec]
    inputs: Sequence[int]
    """Which of these have rows."""
    leaves: Sequence[Leaf]
    outputs: Sequence[int]
    """The place of each leaf in what a run returns."""
    is_grouped: bool
    """Whether a run takes many rows."""
    log: int = -1
    """The output that says what rows have decided; below 0: none does."""
    numbers: int = -1
    """The output with the number of each row; below 0: they are in their order."""


def batches_of(
    native: NativeHost,
    specs: Sequence[InputSpec],
    inputs: Sequence[int],
    way: Mapping[str, Any],
) -> Batches | None:
    """Of a host for one row, with the only `way` out of it (`row_results`).

    None: its rows cannot be run by native code alone.
    """
    returns = native.tables["returns"]
    values: Sequence[Mapping[str, Any]] = way["values"]
    kinds = [
        v["dtype"] if v["shape"] is None else [v["dtype"], v["shape"]] for v in values
    ]
    leaves = _leaves(way)
    if (
        not _fits(native, specs, leaves)
        or any([*map(_plain, entry["types"])] != kinds for entry in returns)
        or not all(_agree(way["structure"], e["structure"]) for e in returns)
    ):
        return None
    return Batches(native, specs, inputs, leaves, range(len(leaves)), False)


def groups_of(
    native: NativeHost,
    specs: Sequence[InputSpec],
    inputs: Sequence[int],
    form: Mapping[str, Any],
) -> Batches | None:
    """Of a host for many rows, of which `form` says what it returns, in the only way.

    None: native code alone cannot run it.
    """
    leaves = _leaves(form["ways"][0])
    has_log, has_numbers = bool(form["decisions"]), form["form"] != "in order"
    kinds = ["int64"] * (has_log + has_numbers)
    wanted = [(np.dtype(kind), (-1,)) for kind in kinds]
    wanted += [(leaf.dtype, (-1, *leaf.shape)) for leaf in leaves]
    returns = native.tables["returns"]
    if not _fits(native, specs, leaves) or any(
        [*map(_array_type, entry["types"])] != wanted for entry in returns
    ):
        return None
    log = 0 if has_log else -1
    numbers = int(has_log) if has_numbers else -1
    outputs = range(len(kinds), len(wanted))
    return Batches(native, specs, inputs, leaves, outputs, True, log, numbers)


def _leaves(way: Mapping[str, Any]) -> list[Leaf]:
    leaves: list[Leaf] = []
    for value in way["values"]:
        shape = value["shape"]
        tail = () if shape is None else tuple(shape[1:] if shape[:1] == [1] else shape)
        leaves.append(Leaf(numpy_dtype(value["dtype"]), tail, shape is None))
    return leaves


def _fits(
    native: NativeHost, specs: Sequence[InputSpec], leaves: Sequence[Leaf]
) -> bool:
    """Whether inputs and results can be batches, and nothing else is to be done."""
    shapes = [spec.shape[1:] for spec in specs if spec.shape] + [
        leaf.shape for leaf in leaves
    ]
    return not (
        native.objects is None
        or not leaves
        or native.tables["effects"]
        or any(isinstance(size, str) or not size for shape in shapes for size in shape)
        or any(spec.dtype == "node" for spec in specs)
        or any(len(spec.shape or ()) > _MOST_RANK for spec in specs)
        or address_if_any(native.library, "dycl_help_rows") is None  # an older one
    )


def _array_type(kind: Any) -> Any:
    """Dtype and shape of an output; None: it is no tensor."""
    if isinstance(kind, (str, dict)):
        return None
    return numpy_dtype(kind[0]), tuple(kind[1])


def _plain(kind: Any) -> Any:
    """The type of an output as the form of rows has it."""
    return kind if isinstance(kind, (str, dict)) else [kind[0], [*kind[1]]]


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a way out and a place that returns make the same of their leaves."""
    if "leaf" in one or "constant" in one:
        return one.get("leaf") == other.get("leaf") and (
            "constant" not in one or "value" in other
        )
    if "record" in one:
        record, items = one["record"], other.get("items", ())
        return (
            [record["name"], record["kind"], [name for name, _ in record["fields"]]]
            == [other.get("record"), other.get("kind"), other.get("fields")]
        ) and all(_agree(a, b) for (_, a), b in zip(record["fields"], items))
    if "dict" in one:
        ours, theirs = one["dict"], other.get("dict")
        return (
            theirs is not None
            and [key for key, _ in ours] == [key.get("value") for key, _ in theirs]
            and all(_agree(a, b) for (_, a), (_, b) in zip(ours, theirs))
        )
    mine, yours = items_of(one), items_of(other)
    return (
        mine is not None
        and yours is not None
        and ("list" in one) == ("list" in other)
        and len(mine) == len(yours)
        and all(map(_agree, mine, yours))
    )
