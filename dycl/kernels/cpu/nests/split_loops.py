"""`cpu-split-loops`: elementwise ops over sizes of the run are shared by threads.

A contraction is a nest, which `cpu-split-nests` cuts. An elementwise op between two of
them would run on one thread, and with functions such as tanh in it take as long as a
product. So it becomes a function that does a part of one of its loops. A run decides
how many elements there are, and so whether it is worth to hand parts over: where it is
not, the function is called for the whole, and no thread is asked.

Each element is computed as before, and in the same order within a part, so results do
not depend on how many parts there are.

Before (module attribute `dycl.threads = 2`):
    linalg.generic {tanh} ins(%x) outs(%y)                     // ?x256

After:
    %work = 672 * %rows
    %many = %rows >= 2 and %work >= 8000
    scf.if %many { func.call @loop.0(%xp, %yp, %rows, %work, 0, 1) }
    else         { func.call @loop.0(%xp, %yp, %rows, %work, 0, 1) {dycl.alone} }
    func.func private @loop.0(..., %part, %parts) attributes {dycl.split = -1 : i64} {
      %first = %part * %rows / %parts ...
      %xs = memref.subview %x[%first, 0] [%count, 256] [1, 1]
      linalg.generic {tanh} ins(%xs) outs(%ys)

Needs:  linalg on memrefs, every buffer freed; before buffers get places in a workspace,
        while they can be told apart.
Leaves: functions like those of `cpu-split-nests`, with calls that `cpu-share-nests`
        hands to threads, and calls that it leaves alone.
Skips:  ops whose sizes are all known; those that only move or count; those with a
        reduction; those of which an element is not at `%i` along the loop, or may be
        read where another one is written; bodies with ops that are no arithmetic.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.buffers.memory import may_alias
from dycl.kernels.cpu.mlir import functions, ir, ops
from dycl.kernels.cpu.nests.split_nests import ALONE, BY_CALL, SPLIT, threads_of
from dycl.kernels.cpu.nests.views import Inside, part_of
from dycl.schedules import sharing

_MOVES = ("memref.load", "memref.dim", "linalg.index", "linalg.yield")
_AT_LEAST = 9
"""`arith.cmpi uge`."""


def split_loops(module: Any) -> None:
    """Let threads share the elementwise ops of dynamic size of every kernel."""
    threads = threads_of(module)
    if threads == 1:
        return
    count = 0
    for func in functions(module):
        if "llvm.linkage" in func.attributes:
            continue  # a nest
        for op in [op.operation for op in func.regions[0].blocks[0].operations]:
            found = _loop_of(op, threads)
            if found is not None:
                with op.location:
                    _outline(module, found, f"loop.{count}")
                op.erase()
                count += 1


@dataclass(frozen=True)
class _Loop:
    """An op, and the loop that is cut."""

    op: Any
    number: int
    """Which of its loops."""
    sizes: list[tuple[Any, int]]
    """Of each loop: a memref, and in which dimension it has the size."""
    work: int
    """Of an element, in lanes."""


def _loop_of(op: Any, threads: int) -> _Loop | None:
    is_meant = op.name == "linalg.generic" and _is_elementwise(op)
    if not is_meant or _reads_elsewhere(op):
        return None
    maps = _maps(op)
    rank = maps[0].n_dims
    sizes = [size for loop in range(rank) if (size := _size_of(op, maps, loop))]
    trips = [_known_size(*size) for size in sizes]
    work = _work(op)
    least = sharing.SHARED_WORK * sharing.LANES / work
    if (
        len(sizes) < rank
        or all(trips)
        or least > sharing.MOST_TRIPS * math.prod(size for size in trips if size)
    ):
        return None
    for loop, size in enumerate(trips):
        if _can_be_cut(op, maps, loop) and (
            size == 0 or sharing.uneven([(size, 1)], threads) <= sharing.WASTE
        ):
            return _Loop(op, loop, sizes, work)
    return None


def _is_elementwise(op: Any) -> bool:
    """Whether an op is arithmetic on elements in memory, with no sum over a loop."""
    kinds = [str(kind) for kind in op.attributes["iterator_types"]]
    bodies = [inner.operation for inner in ops(op)[:-1]]
    return (
        bool(kinds)
        and all("parallel" in kind for kind in kinds)
        and all(
            inner.name.startswith(("arith.", "math.")) or inner.name in _MOVES
            for inner in bodies
        )
        and not any(len(inner.regions) for inner in bodies)
        and all(isinstance(value.type, ir.MemRefType) for value in _outputs(op))
    )


def _reads_elsewhere(op: Any) -> bool:
    """Whether an element may be read where the op writes another one."""
    loaded = [inner.operands[0] for inner in ops(op) if inner.name == "memref.load"]
    if any(may_alias(a, b) for a in loaded for b in _outputs(op)):
        return True
    operands, maps = list(op.operands), _maps(op)
    inputs = len(operands) - len(_outputs(op))
    for number in range(inputs, len(operands)):
        for place, value in enumerate(operands):
            if place == number or not isinstance(value.type, ir.MemRefType):
                continue
            is_same = value == operands[number] and maps[place] == maps[number]
            if may_alias(value, operands[number]) and (place >= inputs or not is_same):
                return True
    return False


def _outputs(op: Any) -> list[Any]:
    return list(op.operands)[int(op.attributes["operandSegmentSizes"][0]) :]


def _maps(op: Any) -> list[Any]:
    return [ir.AffineMapAttr(item).value for item in op.attributes["indexing_maps"]]


def _dim(expression: Any) -> int | None:
    """Which loop an index is; None: it is not one alone."""
    if not isinstance(expression, ir.AffineDimExpr):
        return None
    return int(expression.position)


def _size_of(op: Any, maps: Sequence[Any], loop: int) -> tuple[Any, int] | None:
    """A memref, and the dimension of it that has the size of a loop; known, if any."""
    found = [
        (value, dim)
        for value, item in zip(list(op.operands), maps, strict=True)
        if isinstance(value.type, ir.MemRefType)
        for dim, expression in enumerate(item.results)
        if _dim(expression) == loop
    ]
    return max(found, key=lambda at: bool(_known_size(*at)), default=None)


def _known_size(memory: Any, dim: int) -> int:
    """0: a run decides it."""
    if memory.type.is_dynamic_dim(dim):
        return 0
    return int(memory.type.get_dim_size(dim))


def _can_be_cut(op: Any, maps: Sequence[Any], loop: int) -> bool:
    """Whether each operand has an element of a trip where it has none of others, and
    each result one."""
    inputs = int(op.attributes["operandSegmentSizes"][0])
    for place, item in enumerate(maps):
        dims = [_dim(expression) for expression in item.results]
        mixed = [e for e, d in zip(item.results, dims, strict=True) if d is None]
        if any(not isinstance(e, ir.AffineConstantExpr) for e in mixed):
            return False
        if place >= inputs and loop not in dims:
            return False
    return True


def _work(op: Any) -> int:
    """What an element takes: loads, stores and arithmetic."""
    total = len(list(op.operands))
    for inner in ops(op)[:-1]:
        is_index = any(
            isinstance(value.type, ir.IndexType) for value in inner.operation.results
        )
        if not is_index and inner.name != "linalg.yield":
            total += sharing.FUNCTIONS.get(inner.name, 1)
    return total


def _outline(module: Any, found: _Loop, name: str) -> None:
    """Make the function, and in the place of the op call it."""
    with ir.InsertionPoint(found.op):
        inside = Inside(found.op)
        trips, *others = _sizes(found)
        work = _work_of_run(found, [trips, *others])
        several = build.compare_integers(_AT_LEAST, trips, build.index(2))
        enough = build.index(sharing.SHARED_WORK)
        enough = build.compare_integers(_AT_LEAST, work, enough)
        is_worth_it = build.binary("arith.andi", several, enough)
        given = [*inside.arguments, trips, work, build.index(0), build.index(1)]
    with ir.InsertionPoint(module.body):
        kinds = [value.type for value in given]
        build.function(name, kinds, [], lambda *values: _body(found, inside, values))
    func = list(module.body.operations)[-1].operation
    func.attributes[SPLIT] = build.i64(BY_CALL)
    _note_apart(func, found.op, inside)
    with ir.InsertionPoint(found.op):

        def shared() -> Sequence[Any]:
            build.call(name, given)
            return ()

        def alone() -> Sequence[Any]:
            build.call(name, given)
            block = ir.InsertionPoint.current.block
            call = list(block.operations)[-1].operation
            call.attributes[ALONE] = ir.UnitAttr.get()
            return ()

        build.choice(is_worth_it, shared, alone)


def _sizes(found: _Loop) -> list[Any]:
    """The trips of the loop that is cut, and of all others."""
    places = list(found.sizes)
    return [build.size(*at) for at in (places.pop(found.number), *places)]


def _work_of_run(found: _Loop, sizes: Sequence[Any]) -> Any:
    """How many vectors a run loads, computes and stores."""
    total = build.index(found.work)
    for size in sizes:
        total = build.binary("arith.muli", total, size)
    return build.binary("arith.divui", total, build.index(sharing.LANES))


def _body(found: _Loop, inside: Inside, arguments: Sequence[Any]) -> Sequence[Any]:
    """A part of the op."""
    *given, trips, _, part, parts = arguments
    values = inside.enter(given)

    def begin(number: Any) -> Any:
        scaled = build.binary("arith.muli", number, trips)
        return build.binary("arith.divui", scaled, parts)

    first = begin(part)
    end = begin(build.binary("arith.addi", part, build.index(1)))
    count = build.binary("arith.subi", end, first)
    operands: list[Any] = []
    for value, item in zip(list(found.op.operands), _maps(found.op), strict=True):
        dims = [d for d, e in enumerate(item.results) if _dim(e) == found.number]
        operands.append(part_of(values[value], dims, first, count))
    clone = found.op.clone().operation
    for place, operand in enumerate(operands):
        clone.operands[place] = operand
    for inner in ops(clone)[:-1]:
        for place, value in enumerate(list(inner.operands)):
            if value in values:
                inner.operands[place] = values[value]
        if inner.name == "linalg.index" and (
            int(inner.attributes["dim"].value) == found.number
        ):
            _move(inner, first)
    return ()


def _move(index: Any, first: Any) -> None:
    """The index of an element in the whole, where the op does a part of it."""
    result = index.results[0]
    uses = list(result.uses)
    block = index.operation.block
    following = list(block.operations)
    place = [op.operation for op in following].index(index.operation) + 1
    with ir.InsertionPoint(following[place]), index.location:
        moved = build.binary("arith.addi", result, first)
    for use in uses:
        use.owner.operands[use.operand_number] = moved


def _note_apart(func: Any, op: Any, inside: Inside) -> None:
    """Say of each result that no other argument is memory of it."""
    attributes: list[Any] = [{} for _ in func.regions[0].blocks[0].arguments]
    for output in _outputs(op):
        others = [value for value in inside.memories if value != output]
        if not any(may_alias(output, other) for other in others):
            attributes[inside.memories[output]]["llvm.noalias"] = ir.UnitAttr.get()
    func.attributes["arg_attrs"] = ir.ArrayAttr.get(
        [ir.DictAttr.get(item) for item in attributes]
    )
