"""`cpu-split-nests`: a nest can do a part of its tiles, so that threads can share it.

A loop over tiles of the result runs over one of `parts` equal stretches. Parts write
different tiles and each tile is computed as before, so results do not depend on how
many parts there are. Which nests are worth it is said in `dycl/schedules/sharing.py`.

Loops over rows of an image are shared rather than those around them: what a thread
reads is then what it has written itself, in the nest before, and lies in its cache. To
fetch it from another one's may take longer than to compute it.

Where tiles do not come out even, the last and smaller one follows its loop: it belongs
to the last part.

Before:
    func.call @nest.0(%x, %w, %out)
    func.func private @nest.0(...) {
      scf.for %f = 0 to 8 step 2 { ... }

After (module attribute `dycl.threads = 2`):
    func.call @nest.0(%x, %w, %out, 0, 1)
    func.func private @nest.0(..., %part: index, %parts: index)
        attributes {dycl.split = 40000 : i64} {
      scf.for %f = %part * 4 / %parts * 2 to (%part + 1) * 4 / %parts * 2 step 2 { ... }

Where a nest has memory of its own for each part (`dycl.rooms = array<i64: 3, 4096>`: of
its fourth argument, 4096 elements each), a part begins at `%part * 4096`.

Needs:  memrefs; the nests that `cpu-generate-nests` makes.
Leaves: calls that do the only part; `cpu-share-nests` hands them to threads.
Skips:  nests with too little work; those that write outside of a loop over tiles, or
        in one whose end a run decides, and those with memory that parts would share.
"""

from collections.abc import Iterator
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu import tensor_ops as tensors
from dycl.kernels.cpu.mlir import callee, functions, ir, ops, set_signature
from dycl.schedules import sharing

THREADS = "dycl.threads"
"""On a module: how many threads its kernels may use."""
ROWS = "dycl.rows"
"""On a loop of a nest: threads share it rather than others, see `Schedule.rows`."""
ALONE = "dycl.alone"
"""On a loop of a nest whose trips share memory of its own: threads share no part; on a
call of what was split, which has too little work."""
ROOMS = "dycl.rooms"
"""On a nest: arguments that have memory for each thread, and of how many elements, by
turns. Where threads share it, each part takes its own."""
SPLIT = "dycl.split"
"""On a nest: how much work it is; its last two arguments are a part and the number of
parts."""
BY_CALL = -1
"""As work: each call says how much it is, by the argument before these two."""

Rooms = dict[int, int]
"""Argument of a nest -> how many elements of it one thread has."""

_STORES = ("vector.store", "vector.maskedstore", "memref.store")
_LOADS = ("vector.load", "vector.maskedload", "memref.load")


def note_threads(module: Any, threads: int) -> None:
    """Say how many threads the kernels of a module may use."""
    if threads > 1:
        with module.context:
            module.operation.attributes[THREADS] = build.i64(threads)


def threads_of(module: Any) -> int:
    """How many threads the kernels of a module may use."""
    attributes = module.operation.attributes
    return int(attributes[THREADS].value) if THREADS in attributes else 1


def note_rooms(module: Any, rooms: Rooms) -> None:
    """Say which arguments of the function added last have memory for each thread."""
    func = list(module.body.operations)[-1].operation
    numbers = [number for room in sorted(rooms.items()) for number in room]
    func.attributes[ROOMS] = ir.DenseI64ArrayAttr.get(numbers)


def split_nests(module: Any) -> None:
    """Split every nest of `module` that is worth it, if there are threads for it."""
    threads = threads_of(module)
    if threads == 1:
        return
    split: set[str] = set()
    for func in functions(module):
        if "llvm.linkage" not in func.attributes:
            continue  # a kernel
        if any(ALONE in op.attributes for op in ops(func)):
            continue
        work = _work(func.regions[0].blocks[0])
        if work < sharing.SHARED_WORK:
            continue
        block = func.regions[0].blocks[0]
        loops, last = _rows(block), []
        if not loops or sharing.uneven(_stretches(loops), threads) > sharing.ROW_WASTE:
            loops = _loops_to_split(block, threads)
        if not loops:
            loops, last = _loop_and_last_tile(block)
        if loops:
            with func.location:
                _split(func, loops, work)
                _leave_to_last_part(block, last)
            split.add(str(func.attributes["sym_name"].value))
    for func in functions(module):
        if ROOMS in func.attributes:
            del func.attributes[ROOMS]
        for op in ops(func):
            if op.name == "func.call" and callee(op) in split:
                _pass_whole(op)


def _work(block: Any) -> int:
    """Vectors that a nest loads, computes and stores, at least."""
    total = 0
    for op in block.operations:
        op = op.operation
        if op.name == "scf.for":
            # Once, where a run decides how often.
            total += (len(_trips(op)) or 1) * _work(op.regions[0].blocks[0])
        elif op.name == "scf.if":
            sides = [region.blocks[0] for region in op.regions if region.blocks]
            total += min(map(_work, sides)) if len(sides) == 2 else 0
        elif op.name in _STORES or _makes_vector(op):
            total += 1
    return total


def _makes_vector(op: Any) -> bool:
    """Whether it takes an instruction of its own: a pixel for all lanes does not."""
    result = any(isinstance(value.type, ir.VectorType) for value in op.results)
    return result and op.name not in ("arith.constant", "vector.broadcast")


def _trips(loop: Any) -> range:
    """The trips of a loop; all bounds in nests are constants."""
    low, high, step = (_constant(value) for value in list(loop.operands)[:3])
    if low is None or high is None or step is None:
        return range(0)
    return range(low, high, step)


def _constant(value: Any) -> int | None:
    """The number that an index is; None: it is not known."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    return int(owner.attributes["value"].value)


def _rows(block: Any) -> list[Any]:
    """The loops over rows, if they do all the work between them."""
    result: list[Any] = []
    for op in block.operations:
        op = op.operation
        if op.name in _STORES:
            return []
        if op.name != "scf.for":
            continue
        inner = [op] if ROWS in op.attributes else _rows(op.regions[0].blocks[0])
        if not inner:
            return []
        result += inner
    return result


def _loops_to_split(block: Any, threads: int) -> list[Any]:
    """Loops over tiles that do all the work between them; none: there are not such."""
    result: list[Any] = []
    for op in block.operations:
        op = op.operation
        if op.name in _STORES:
            return []
        if op.name != "scf.for":
            continue
        if len(op.results):
            # What is summed up here is stored beside the loop.
            return []
        if not _trips(op):
            return []  # A run decides where it ends.
        inner = _loops_to_split(op.regions[0].blocks[0], threads)
        mine = _waste(len(_trips(op)), threads)
        theirs = max(
            (_waste(len(_trips(item)), threads) for item in inner), default=2.0
        )
        result += [op] if mine <= max(theirs, sharing.WASTE) else inner
    return result


def _loop_and_last_tile(block: Any) -> tuple[list[Any], list[Any]]:
    """A loop over tiles, and all that follows it for the tile that is left over."""
    body = [op.operation for op in block.operations][:-1]
    place = next((i for i, op in enumerate(body) if op.name == "scf.for"), len(body))
    if place == len(body) or len(body[place].results):
        return [], []
    if not _trips(body[place]):
        return [], []  # A run decides where it ends.
    last = [op for op in body[place + 1 :] if op.name != "arith.constant"]
    # Two loops over tiles: parts of the one and of the other would not be alike.
    if any(op.name == "scf.for" and not len(op.results) for op in last):
        return [], []
    if any(op.name in _STORES for item in body[:place] for op in ops(item)):
        return [], []
    stores = [op for op in ops(body[place]) if op.name in _STORES]
    loads = [op for item in last for op in ops(item) if op.name in _LOADS]
    written = [op.operands[_memory(op)] for op in stores]
    if any(op.operands[0] in written for op in loads):
        return [], []
    return [body[place]], last


def _memory(store: Any) -> int:
    """Which operand of a store is the memref."""
    return 0 if store.name == "vector.maskedstore" else 1


def _leave_to_last_part(block: Any, last: list[Any]) -> None:
    if not last:
        return
    part, parts = list(block.arguments)[-2:]
    with ir.InsertionPoint(last[0]):
        following = build.op("arith.addi", [part, build.index(1)], part.type)
        is_last = build.compare_integers(0, following, parts)
        branch = ir.Operation.create("scf.if", operands=[is_last], regions=2)
        with ir.InsertionPoint(branch.regions[0].blocks.append()):
            end = ir.Operation.create("scf.yield")
    for op in last:
        op.move_before(end)


def _waste(trips: int, threads: int) -> float:
    return sharing.uneven([(trips, 1)], threads) if trips else 2.0


def _stretches(loops: list[Any]) -> list[tuple[int, int]]:
    return [(len(trips), trips.step) for trips in map(_trips, loops)]


def _split(func: Any, loops: list[Any], work: int) -> None:
    block = func.regions[0].blocks[0]
    index = ir.IndexType.get()
    part, parts = (block.add_argument(index, func.location) for _ in range(2))
    set_signature(func)
    _take_rooms(func, part)
    func.attributes[SPLIT] = build.i64(work)
    for number, loop in enumerate(loops):
        trips = _trips(loop)
        with ir.InsertionPoint(loop), loop.location:
            following = build.op("arith.addi", [part, build.index(1)], index)
            for place, which in ((0, part), (1, following)):
                loop.operands[place] = _bound(which, parts, trips, number % 2 == 0)


def _take_rooms(func: Any, part: Any) -> None:
    """Let a part use its own of the memory that there is for each."""
    if ROOMS not in func.attributes:
        return
    numbers = list(func.attributes[ROOMS])
    block = func.regions[0].blocks[0]
    for place, size in zip(numbers[::2], numbers[1::2], strict=True):
        memory = block.arguments[place]
        uses = list(memory.uses)
        with ir.InsertionPoint.at_block_begin(block):
            begin = build.op("arith.muli", [part, build.index(size)], part.type)
            mine = _moved(memory, begin)
        for use in uses:
            use.owner.operands[use.operand_number] = mine


def _moved(memory: Any, begin: Any) -> Any:
    """A memref that begins so many elements later."""
    strides, _ = memory.type.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    layout = ir.StridedLayoutAttr.get(dynamic, strides)
    shape = memory.type.shape
    return tensors.op(
        "memref.reinterpret_cast",
        [memory, begin],
        ir.MemRefType.get(shape, memory.type.element_type, layout),
        static_offsets=tensors.ints([dynamic]),
        static_sizes=tensors.ints(shape),
        static_strides=tensors.ints(strides),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 1, 0, 0]),
    )


def _bound(part: Any, parts: Any, trips: range, up: bool) -> Any:
    """Where a part begins: `start + part * count / parts * step`.

    Rounded `up`, the first parts get what cannot be divided, else the last.
    """
    index = ir.IndexType.get()
    scaled = build.op("arith.muli", [part, build.index(len(trips))], index)
    divide = "arith.ceildivui" if up else "arith.divui"
    trip = build.op(divide, [scaled, parts], index)
    offset = build.op("arith.muli", [trip, build.index(trips.step)], index)
    return build.op("arith.addi", [offset, build.index(trips.start)], index)


def _pass_whole(call: Any) -> None:
    with ir.InsertionPoint(call), call.location:
        more = [build.index(0), build.index(1)]
        build.call(callee(call), [*call.operands, *more])
    call.erase()


def shared_functions(module: Any) -> Iterator[Any]:
    """The functions of a module in the LLVM dialect that were split."""
    for op in module.body.operations:
        if op.operation.name == "llvm.func" and SPLIT in op.operation.attributes:
            yield op.operation
