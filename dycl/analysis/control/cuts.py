"""Where a long run of tensor ops is cut, so that no kernel grows with the program.

LLVM takes time that grows with the square of a function's length, and so do some of
MLIR's passes. Kernels of bounded length make the whole linear, are compiled side by
side, and where the program repeats itself they are often equal, and then shared.

What crosses a cut is in memory, so a cut is made where the fewest elements do, and not
between a product and what is done with its result at once. Only tensors may cross.
Where the ops to come are those that follow the last cut, the program repeats itself: it
is cut there again, so that what lies between is equal.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import prod
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from dycl.analysis.control.computation import is_free, is_product
from dycl.ir.torch import VTensorType

_SLICES = ("torch.aten.select.int", "torch.aten.slice.Tensor")


class Cost(NamedTuple):
    """What a cut in front of an op costs; the least is the best."""

    parts_product: bool
    """Whether it stands between a product and the first op that works on its result."""
    elements: int
    """Elements of the tensors that cross it."""
    starts_elsewhere: bool
    """Whether the op is no product, and so may be of one loop with those before."""


def pieces(ops: Sequence[Operation], most: int) -> Iterator[Sequence[Operation]]:
    """The ops of one run in order, in pieces of at most `most`, at least half of that.

    Slices of what comes from outside are pieces of their own, which come first: each
    has a number of its own, and would make kernels different that are alike.

    The last may be shorter. A piece has more than `most` ops only where all cuts would
    part a list, say, from its users. Work grows with the number of ops and their uses.
    """
    if len(ops) <= most:
        yield ops
        return
    slices = _slices(ops)
    for start in range(0, len(slices), most):
        yield slices[start : start + most]
    moved = set(slices)
    ops = [op for op in ops if op not in moved]
    costs, kinds = _costs(ops), _kinds(ops)
    start = 0
    while len(ops) - start > most:
        first, last = start + (most + 1) // 2, start + most
        end = _repeated(kinds, costs, start, range(first, last + 1))
        if end is None:
            end = _best(costs, first, last)
        yield ops[start:end]
        start = end
    if start < len(ops):
        yield ops[start:]


def _slices(ops: Sequence[Operation]) -> list[Operation]:
    """The slices of what comes from outside, as long as they copy nothing twice."""
    inside = set(ops)
    left: dict[SSAValue, int] = {}
    first: list[Operation] = []
    for op in ops:
        source = op.operands[0] if op.name in _SLICES else None
        if (
            source is None
            or source.owner in inside
            or not _is_constant(op.operands[1:])
        ):
            continue
        size = sum(map(_size, op.results))
        if size <= left.setdefault(source, _size(source)):
            left[source] -= size
            first.append(op)
    return first


def _is_constant(values: Sequence[SSAValue]) -> bool:
    owners = [value.owner for value in values]
    return all(isinstance(o, Operation) and is_free(o) for o in owners)


def _repeated(
    kinds: Sequence[int], costs: Sequence[Cost | None], start: int, places: range
) -> int | None:
    """The last of the places that ops follow which look as those from `start` do.

    As many are compared as a piece has at least. None: there is no such place.
    """
    count = places.start - start
    wanted = kinds[start : places.start]
    for place in reversed(places):
        if costs[place] is not None and kinds[place : place + count] == wanted:
            return place
    return None


def _best(costs: Sequence[Cost | None], first: int, last: int) -> int:
    """The cheapest place, the last of these; if none may be cut, the next that may."""
    best = None
    for place in range(first, len(costs)):
        if place > last and best is not None:
            break
        cost = costs[place]
        if cost is not None and (best is None or cost <= best[0]):
            best = cost, place
    return len(costs) if best is None else best[1]


def _costs(ops: Sequence[Operation]) -> list[Cost | None]:
    """For each op what a cut in front of it costs; None: there may be none."""
    place = {op: index for index, op in enumerate(ops)}
    last = _LastUses(place)
    elements, unheld, parted = ([0] * (len(ops) + 1) for _ in range(3))

    def spans(counts: list[int], first: int, end: int, by: int) -> None:
        counts[first + 1] += by
        counts[end + 1] -= by

    for index, op in enumerate(ops):
        for result in op.results:
            if (end := last.of(result)) > index:
                if isinstance(result.type, VTensorType):
                    spans(elements, index, end, _size(result))
                else:
                    spans(unheld, index, end, 1)
        if is_product(op) and (user := _first_user(op, place)) is not None:
            spans(parted, index, user, not is_product(ops[user]))
    counts = zip(*map(accumulate, (parted, elements, unheld)), strict=True)
    return [
        None if lists else Cost(between > 0, size, not is_product(op))
        for op, (between, size, lists) in zip(ops, counts, strict=False)
    ]


def _kinds(ops: Sequence[Operation]) -> list[int]:
    """A number for each op; equal: they do the same with operands of the same types."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(_kind(op), len(numbers)) for op in ops]


def _kind(op: Operation) -> object:
    operands: list[object] = []
    for value in op.operands:
        owner = value.owner
        known = isinstance(owner, Operation) and is_free(owner) and owner.properties
        operands.append((value.type, *known.values()) if known else value.type)
    return op.name, tuple(op.result_types), tuple(operands)


def _first_user(op: Operation, place: dict[Operation, int]) -> int | None:
    """The first of a run's ops that works on a result of `op`."""
    users = (use.operation for result in op.results for use in result.uses)
    return min((place[user] for user in users if user in place), default=None)


class _LastUses:
    """The last of a run's ops that needs a value, itself or in a list."""

    def __init__(self, place: dict[Operation, int]):
        self.place = place
        self._of_list: dict[Operation, int] = {}

    def of(self, value: SSAValue) -> int:
        """Its number; -1: none does."""
        return max((self._user(use.operation) for use in value.uses), default=-1)

    def _user(self, op: Operation) -> int:
        if not is_free(op):
            return self.place.get(op, -1)
        if op not in self._of_list:
            last_uses = (self.of(result) for result in op.results)
            self._of_list[op] = max(last_uses, default=-1)
        return self._of_list[op]


def _size(value: SSAValue) -> int:
    """Elements of a tensor; a size that a run decides counts as one."""
    tensor = value.type
    sizes = tensor.sizes() if isinstance(tensor, VTensorType) else None
    return prod(max(size, 1) for size in sizes or ())
