"""What a decision compares, and how far that is from the other way."""

import math
import operator
from dataclasses import dataclass, replace
from typing import Any, cast

ORDERINGS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
EQUALITIES = {"eq": "==", "ne": "!="}
SIGNS = {**ORDERINGS, **EQUALITIES}
"""Name of a comparison -> Python's operator."""

_HOLDS = {sign: getattr(operator, name) for name, sign in SIGNS.items()}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_NEGATED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


@dataclass(frozen=True)
class Comparison:
    """Two numbers of which a decision was made: `value sign threshold`."""

    sign: str
    """As Python writes it: `<`, `<=`, `>`, `>=`, `==`, `!=`."""
    value: float
    threshold: float
    dtype: str = "float32"
    """Of the tensor that the value is an element of; `float32` for a Python float."""

    @property
    def margin(self) -> float | None:
        """How far the value is from its threshold. None: the test is no ordering, or
        there is no distance (NaN)."""
        distance = abs(self.value - self.threshold)
        is_ordering = self.sign in ORDERINGS.values()
        return distance if is_ordering and not math.isnan(distance) else None

    @property
    def holds(self) -> bool:
        """Whether it is true of these numbers."""
        return _HOLDS[self.sign](self.value, self.threshold)

    def __str__(self) -> str:
        """`0.7003 > 0.7`."""
        value, threshold = told_apart(self.value, self.threshold)
        return f"{value} {self.sign} {threshold}"


def told_apart(*numbers: float) -> tuple[str, ...]:
    """Numbers as texts, with as many digits as it takes to tell them apart."""
    for digits in (*range(6, 17), 17):
        texts = tuple(f"{number:.{digits}g}" for number in numbers)
        if len({*texts}) == len({*numbers}):
            return texts
    return tuple(map(repr, numbers))


@dataclass(frozen=True)
class Compared:
    """One comparison of tensors or numbers, and what is made of its elements."""

    kind: str
    """`lt`, `le`, `gt`, `ge`, `eq` or `ne`."""
    left: Any
    right: Any
    reduction: str = ""
    """`any` or `all`, of the elements; "": there is one, or each matters."""
    negated: bool = False
    """Whether the elements are negated before they are reduced."""

    def reduced(self, how: str) -> "Compared":
        """After `any` or `all`."""
        return replace(self, reduction=self.reduction or how)

    def inverted(self) -> "Compared":
        """After a `not`."""
        if not self.reduction:
            return replace(self, negated=not self.negated)
        return self  # What decides it are the same elements.

    def comparison(self) -> Comparison | None:
        """The pair of elements that decides the way, or would first turn it.

        None: there is no element, or they are no real numbers.
        """
        pairs = _pairs(self.left, self.right)
        if pairs is None:
            return None
        place = self._deciding(*pairs)
        left, right = (float(side[place]) for side in pairs)
        kind = _NEGATED[self.kind] if self.negated else self.kind
        if _is_number(self.left) and not _is_number(self.right):
            kind, left, right = _MIRRORED[kind], right, left
        return Comparison(SIGNS[kind], left, right, self._dtype())

    def _dtype(self) -> str:
        sides = (self.left, self.right)
        dtypes = [str(s.dtype).removeprefix("torch.") for s in sides if _has_dtype(s)]
        is_float = any(isinstance(side, float) for side in sides)
        return dtypes[0] if dtypes else "float32" if is_float else "int64"

    def _deciding(self, left: Any, right: Any) -> int:
        """Which element it is: of all that have to turn together, the farthest."""
        import torch

        distances = (left - right).abs().nan_to_num(nan=0.0)
        if not self.reduction:
            return int(distances.argmin())
        holds = getattr(torch, self.kind)(left, right) != self.negated
        wanted = holds if self.reduction == "any" else ~holds
        if bool(wanted.any()):
            return int(distances.where(wanted, torch.tensor(-1.0).double()).argmax())
        return int(distances.argmin())


def _has_dtype(value: object) -> bool:
    return hasattr(value, "dtype")


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float))


def _pairs(left: Any, right: Any) -> tuple[Any, Any] | None:
    """Both sides as flat tensors of float64; None: they are not."""
    import torch

    sides: list[Any] = []
    for side in (left, right):
        if isinstance(side, torch.Tensor):
            if side.is_complex():
                return None
            sides.append(side.detach().double())
        elif _is_number(side):
            sides.append(torch.tensor(float(side), dtype=torch.float64))
        else:
            return None
    try:
        found = torch.broadcast_tensors(*sides)
    except RuntimeError:
        return None
    first, second = (side.reshape(-1) for side in cast("tuple[Any, Any]", found))
    return None if first.numel() == 0 else (first, second)
