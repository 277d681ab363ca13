"""What it costs to use bf16 or tf32: the same network with f32 alone, on one input."""

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast


@dataclass(frozen=True)
class Narrowing:
    """How far a network with rounded numbers is from the one with numbers as given.

    On the example inputs: on others it may be more.
    """

    largest: float = math.nan
    """The largest difference of two elements of the results; nan: there is none."""
    of: float = math.nan
    """The largest element, by amount."""
    flipped: str = ""
    """The first decision that goes another way; "": all go the same way."""
    unknown: str = ""
    """Why it was not measured; "": it was."""
    to: str = "bf16"
    """What numbers are rounded to."""

    def __str__(self) -> str:
        """One line."""
        if self.unknown:
            return f"error not measured: {self.unknown}"
        if self.flipped:
            return f"another path on the example inputs, from here on: {self.flipped}"
        if math.isnan(self.largest):
            return "the same path on the example inputs; the results are not floats"
        return (
            "the same path on the example inputs; "
            f"largest error {self.largest:.1e} of {self.of:.1e}"
        )


class Net(Protocol):
    """A compiled network."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it."""
        ...

    @property
    def path(self) -> tuple[object, ...]:
        """The decisions of the last call."""
        ...


def measure(
    narrow: Net, wide: Net, inputs: Sequence[Any], by_name: Mapping[str, Any]
) -> Narrowing:
    """Run both, neither of which is used for anything else."""
    results: list[Any] = []
    for net in (narrow, wide):
        try:
            args, kwargs = copy.deepcopy((tuple(inputs), dict(by_name)))
            results.append(net(*args, **kwargs))
        except Exception as error:
            return Narrowing(unknown=f"the example inputs raise {error!r}")
    for mine, other in zip(narrow.path, wide.path, strict=False):
        if mine != other:
            return Narrowing(flipped=str(other))
    pairs = list(zip(*(list(_floats(result)) for result in results), strict=True))
    differences = [abs(a - b) for a, b in pairs if a != b and not _are_nan(a, b)]
    largest = max([0.0, *differences]) if pairs else math.nan
    finite = [abs(b) for _, b in pairs if math.isfinite(b)]
    return Narrowing(largest, max(finite, default=math.nan))


def _are_nan(a: float, b: float) -> bool:
    return math.isnan(a) and math.isnan(b)


def _floats(value: Any) -> Iterator[float]:
    """All floats in a result, in order."""
    if isinstance(value, float):
        yield value
    elif hasattr(value, "dtype"):
        if "float" in str(value.dtype):
            yield from cast("list[float]", value.reshape(-1).tolist())
    elif isinstance(value, Mapping):
        for item in cast("Mapping[Any, Any]", value).values():
            yield from _floats(item)
    elif isinstance(value, tuple | list):
        for item in cast("Sequence[Any]", value):
            yield from _floats(item)
