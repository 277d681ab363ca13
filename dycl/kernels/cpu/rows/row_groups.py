"""Which ops of a kernel make up one row program.

A row program goes through all that a group of ops does with one row, then through the
next row. The loops of a group are its space: those over rows and those over the
elements of a row, which the reductions of the group sum up. An op of the group is
*wide*, over rows and elements, or *narrow*, over rows alone.

Legality is asked of buffers and places in them (`dycl.kernels.cpu.loops.flat_access`):

* where two ops of a group meet in a buffer that one of them writes, both are at the
  same element in the same trip of the loops, and different trips write different
  elements: so rows are independent, and within a row the order can be kept;
* the group runs at the place of its last op: what stands in between neither writes
  what the group touches nor reads what it writes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dycl.kernels.cpu.buffers.memory import Effects
from dycl.kernels.cpu.loops.flat_access import (
    FlatAccess,
    FlatOp,
    flat_op,
    is_injective,
    refinement,
)
from dycl.kernels.cpu.loops.vector_body import no_vector_form
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.tensor_ops import owner as op_of

_COMBINERS = {
    "arith.addf",
    "arith.addi",
    "arith.andi",
    "arith.maximumf",
    "arith.maxnumf",
    "arith.maxsi",
    "arith.maxui",
    "arith.minimumf",
    "arith.minnumf",
    "arith.minsi",
    "arith.minui",
    "arith.mulf",
    "arith.muli",
    "arith.ori",
    "arith.xori",
}


@dataclass
class RowGroup:
    """Ops in the order of the block, over one space."""

    sizes: tuple[int, ...]
    reduced: tuple[bool, ...]
    """Of each loop of the space, whether it is over the elements of a row."""
    members: dict[int, FlatOp] = field(default_factory=dict[int, FlatOp])
    """Place in the block -> the op, its loops divided as the space is."""

    def is_wide(self, member: FlatOp) -> bool:
        """Whether a member runs over the elements of a row, too."""
        return len(member.sizes) == len(self.sizes)

    def in_space(self, member: FlatOp, access: FlatAccess) -> FlatAccess:
        """An access of a member, with a factor for each loop of the space."""
        if self.is_wide(member):
            return access
        rest = iter(access.factors)
        factors = tuple(0 if reduced else next(rest) for reduced in self.reduced)
        return FlatAccess(access.buffer, access.offset, factors)


def row_groups(block: Any) -> list[RowGroup]:
    """The groups of a block; each has a reduction, and no op is in two of them."""
    effects = Effects(block)
    flat = {
        place: flat_one
        for place, op in enumerate(effects.ops)
        if (flat_one := flat_op(op)) is not None and _is_possible(flat_one)
    }
    taken: set[int] = set()
    groups: list[RowGroup] = []
    for place, flat_one in flat.items():
        if place in taken or not flat_one.reduces:
            continue
        group = RowGroup(flat_one.sizes, flat_one.reduced)
        group.members[place] = flat_one
        if not _rows_are_apart(group):
            continue
        _grow(group, {p: f for p, f in flat.items() if p not in taken}, effects)
        taken |= set(group.members)
        groups.append(group)
    return groups


def combiner(member: FlatOp) -> str | None:
    """The op that puts one more element into a reduction's result; None if unknown.

    The result so far is an operand of this op, the last one, and of nothing else.
    """
    *_, end = list(member.body.operations)
    owner = end.operands[0].owner
    arguments = list(member.body.arguments)
    so_far = arguments[-1]
    if isinstance(owner, ir.Block) or owner.name not in _COMBINERS:
        return None
    uses = list(so_far.uses)
    once = len(uses) == 1 and uses[0].owner.operation == owner.operation
    return str(owner.name) if once else None


_SEARCHES = {
    "arith.maximumf": ("arith.cmpf", 9),
    "arith.minimumf": ("arith.cmpf", 11),
    "arith.maxsi": ("arith.cmpi", 4),
    "arith.minsi": ("arith.cmpi", 2),
}
"""What keeps the best element -> the comparison that its place moves by: strict, and
true for a NaN where floats are compared."""
_ORD = 7


def is_search(member: FlatOp) -> bool:
    """Whether an op finds the first best element of a row, and its place in it.

    %best = arith.maximumf %x, %best_so_far
    %moves = (%x ugt %best_so_far) and not (%best_so_far is NaN)
    %place = arith.select %moves, (linalg.index as i64), %place_so_far
    linalg.yield %best, %place
    """
    if len(member.outputs) != 2 or sum(member.reduced) != 1:
        return False
    *_, end = list(member.body.operations)
    *_, best_so_far, place_so_far = list(member.body.arguments)
    best, place = (op_of(value) for value in end.operands)
    if best is None or place is None or best.name not in _SEARCHES:
        return False
    comparison, predicate = _SEARCHES[best.name]
    others = [value for value in best.operands if value != best_so_far]
    if len(others) != 1 or place.name != "arith.select":
        return False
    moves, here, stays = place.operands
    if stays != place_so_far or not _is_place(here, member.op):
        return False
    wanted = {(comparison, predicate, others[0], best_so_far)}
    if comparison == "arith.cmpf":
        wanted.add((comparison, _ORD, best_so_far, best_so_far))
    return _conditions(moves) == wanted


def _conditions(value: Any) -> set[tuple[str, int, Any, Any]]:
    """The comparisons that all have to hold for `value`."""
    op = op_of(value)
    if op is not None and op.name == "arith.andi":
        return _conditions(op.operands[0]) | _conditions(op.operands[1])
    if op is not None and op.name in ("arith.cmpf", "arith.cmpi"):
        predicate = int(op.attributes["predicate"].value)
        return {(op.name, predicate, op.operands[0], op.operands[1])}
    return {("", 0, value, value)}


def _is_place(value: Any, op: Any) -> bool:
    """Whether a value is the index of the loop that `op` reduces, as an integer."""
    cast = op_of(value)
    if cast is None or cast.name != "arith.index_cast":
        return False
    index = op_of(cast.operands[0])
    if index is None or index.name != "linalg.index":
        return False
    kind = op.attributes["iterator_types"][int(index.attributes["dim"].value)]
    return "reduction" in str(kind)


def _is_possible(found: FlatOp) -> bool:
    if found.reduces and len(found.outputs) == 2:
        return no_vector_form(found.body, indices=True) is None and is_search(found)
    if len(found.outputs) != 1:
        return False
    if found.body is not None and no_vector_form(found.body) is not None:
        return False
    if found.reduces:
        return combiner(found) is not None
    # What an elementwise op wrote before is not asked for.
    return found.body is None or not any(
        True for _ in list(found.body.arguments)[-1].uses
    )


def _grow(group: RowGroup, flat: dict[int, FlatOp], effects: Effects) -> None:
    """Add every op that shares a buffer with the group and may run with it."""
    read, written = _buffers(group)
    grown = True
    while grown:
        grown = False
        for place, flat_one in flat.items():
            if place in group.members or not (
                written & flat_one.touched or read & flat_one.written
            ):
                continue
            if not _may_move({**group.members, place: flat_one}, effects):
                continue
            with_it = _with(group, place, flat_one)
            if with_it is not None:
                group.sizes, group.reduced = with_it.sizes, with_it.reduced
                group.members = with_it.members
                read, written = _buffers(group)
                grown = True


def _buffers(group: RowGroup) -> tuple[set[Any], set[Any]]:
    """The buffers that a group touches, and those that it writes."""
    members = group.members.values()
    touched = set[Any]().union(*(member.touched for member in members))
    return touched, set[Any]().union(*(member.written for member in members))


def _with(group: RowGroup, place: int, found: FlatOp) -> RowGroup | None:
    """The group with one more op, if its loops fit and rows stay independent."""
    space = _common_space(group, found)
    if space is None:
        return None
    sizes, reduced = space
    rows = [size for size, flag in zip(sizes, reduced, strict=True) if not flag]
    row_group = RowGroup(sizes, reduced)
    for at, member in sorted([*group.members.items(), (place, found)]):
        is_wide = _count(member.sizes) == _count(sizes)
        row_group.members[at] = member.divided(sizes if is_wide else rows)
        if member.reduces and row_group.members[at].reduced != reduced:
            return None
    return row_group if _rows_are_apart(row_group) else None


def _common_space(
    group: RowGroup, found: FlatOp
) -> tuple[tuple[int, ...], tuple[bool, ...]] | None:
    if _count(found.sizes) == _count(group.sizes):
        sizes = refinement(group.sizes, found.sizes)
        if sizes is None:
            return None
        rest = iter(sizes)
        reduced: list[bool] = []
        for size, flag in zip(group.sizes, group.reduced, strict=True):
            part = 1
            while part != size:
                part *= next(rest)
                reduced.append(flag)
        return tuple(sizes), tuple(reduced)
    rows = [s for s, flag in zip(group.sizes, group.reduced, strict=True) if not flag]
    divided = refinement(rows, found.sizes)
    if divided is None or found.reduces:
        return None
    rest = iter(divided)
    both: list[tuple[int, bool]] = []
    for size, flag in zip(group.sizes, group.reduced, strict=True):
        if flag:
            both.append((size, True))
            continue
        part = 1
        while part != size:
            both.append((next(rest), False))
            part *= both[-1][0]
    return tuple(size for size, _ in both), tuple(flag for _, flag in both)


def _count(sizes: Sequence[int]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


def _rows_are_apart(group: RowGroup) -> bool:
    """Whether each trip of the loops meets what other trips write nowhere."""
    written: dict[Any, FlatAccess] = {}
    for member in group.members.values():
        for access in member.outputs:
            one = group.in_space(member, access)
            if written.setdefault(access.buffer, one) != one:
                return False
            sizes = [
                1 if reduced and (member.reduces or not group.is_wide(member)) else size
                for size, reduced in zip(group.sizes, group.reduced, strict=True)
            ]
            if not is_injective(one, sizes):
                return False
    return all(
        group.in_space(member, access) == written.get(access.buffer, access)
        for member in group.members.values()
        for access in member.accesses
        if access.buffer in written
    )


def _may_move(members: dict[int, FlatOp], effects: Effects) -> bool:
    """Whether all members may run where the last one stands."""
    read: set[Any] = set()
    written: set[Any] = set()
    for place in effects.touching(min(members), max(members)):
        member = members.get(place)
        if member is not None:
            written |= member.written
            read |= member.touched
        elif effects.writes_any(place, read) or effects.touches_any(place, written):
            return False
    return True
