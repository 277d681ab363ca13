"""`cpu-plan-workspace`: a kernel's own buffers lie in memory that its caller owns.

A kernel that allocates takes a lock, and meets memory that no cache has seen. So each
buffer of known size gets a place in one workspace, the last argument of the kernel; two
share memory where one is free before the other is used.

Before:
    func.func @k(%x, %out) {
      %a = memref.alloc() : memref<16xf32>
      func.call @nest.0(%x, %a)
      func.call @nest.1(%a, %out)
      memref.dealloc %a

After:
    func.func @k(%x, %out, %workspace: memref<64xi8>) {
      %a = memref.view %workspace[0][] : memref<64xi8> to memref<16xf32>
      func.call @nest.0(%x, %a)
      func.call @nest.1(%a, %out)

Needs:  memrefs, every buffer freed: in the block where it is made, if its life ends
        there whatever happens.
Leaves: `dycl.workspace`, the size in bytes, on kernels that take one. Buffers begin at
        multiples of 64 bytes of it. What fits into a cache line is on the stack, where
        LLVM may keep it in registers.
Skips:  buffers of a size that a run decides, and those that are handed from one trip
        of a loop to the next: they are allocated. Functions that prepare weights, and
        are run once.
"""

from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu.build import i64
from dycl.kernels.cpu.mlir import functions, ir, set_signature
from dycl.kernels.cpu.weights.split_weights import PREPARES
from dycl.support.placement import ALIGNMENT, aligned, overlapping, place

WORKSPACE = "dycl.workspace"
"""On a kernel: the bytes of workspace that it takes."""


def plan_workspace(module: Any) -> None:
    """Give every kernel of `module` that allocates a workspace."""
    for func in functions(module):
        if str(func.attributes.get("sym_visibility", "")) == '"private"':
            continue  # a nest
        if PREPARES not in func.attributes:
            with func.location:
                plan_function(func)


def workspaces(module: Any) -> dict[str, int]:
    """By kernel, how many bytes of workspace it takes."""
    return {
        str(func.attributes["sym_name"].value): int(func.attributes[WORKSPACE].value)
        for func in functions(module)
        if WORKSPACE in func.attributes
    }


def plan_function(func: Any) -> None:
    """Give one function that allocates a workspace."""
    numbers = _numbered(func)
    allocations = [
        _Buffer(alloc, dealloc, size, (_first_use(alloc, numbers), numbers[dealloc]))
        for alloc in numbers
        if alloc.name == "memref.alloc"
        and (size := _size(alloc.results[0].type))
        and (dealloc := _end(alloc)) is not None
    ]
    small = [item for item in allocations if item.size <= ALIGNMENT]
    large = [item for item in allocations if item.size > ALIGNMENT]
    if large:
        _put_in_workspace(func, large)
    _put_on_stack(func, small)


@dataclass(frozen=True)
class _Buffer:
    alloc: Any
    dealloc: Any
    size: int
    span: tuple[int, int]
    """First and last place in the text where it is of use."""

    def replace(self, memory: Any) -> None:
        """Let other memory stand for the buffer."""
        self.dealloc.erase()
        self.alloc.results[0].replace_all_uses_with(memory)
        self.alloc.erase()


def _put_in_workspace(func: Any, found: list[_Buffer]) -> None:
    sizes = [aligned(allocation.size) for allocation in found]
    offsets = place(sizes, overlapping([allocation.span for allocation in found]))
    total = max(o + s for o, s in zip(offsets, sizes, strict=True))
    workspace = _add_argument(func, total)
    for allocation, offset in zip(found, offsets, strict=True):
        with ir.InsertionPoint(allocation.alloc), allocation.alloc.location:
            view = _view(workspace, offset, allocation.alloc.results[0].type)
        allocation.replace(view)


def _put_on_stack(func: Any, found: list[_Buffer]) -> None:
    block = func.regions[0].blocks[0]
    for item in found:
        with ir.InsertionPoint.at_block_begin(block), item.alloc.location:
            alloca = ir.Operation.create(
                "memref.alloca",
                results=[item.alloc.results[0].type],
                attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])},
            )
        item.replace(alloca.results[0])


def _numbered(func: Any) -> dict[Any, int]:
    """All ops inside, each with its place in the text."""
    numbers: dict[Any, int] = {}

    def visit(op: Any) -> Any:
        numbers[op.operation] = len(numbers)
        return ir.WalkResult.ADVANCE

    func.walk(visit, ir.WalkOrder.PRE_ORDER)
    return numbers


def _end(alloc: Any) -> Any:
    """Where a buffer is freed; None if that is elsewhere, or not always so."""
    ends = [
        user
        for use in alloc.results[0].uses
        if (user := use.owner.operation).name == "memref.dealloc"
    ]
    if len(ends) != 1 or ends[0].block != alloc.block:
        return None
    return ends[0]


def _first_use(alloc: Any, numbers: dict[Any, int]) -> int:
    """The place of the first op in the block of `alloc` that names its buffer."""
    places: list[int] = []
    for use in alloc.results[0].uses:
        user = use.owner.operation
        while user.block != alloc.block:
            user = user.block.owner.operation
        places.append(numbers[user])
    return min(places)


def _size(kind: Any) -> int:
    """How many bytes a memref takes; 0: a run decides, or it is not row-major."""
    kind = ir.MemRefType(kind)
    identity = ir.AffineMap.get_identity(kind.rank)
    if not kind.has_static_shape or kind.layout != ir.AffineMapAttr.get(identity):
        return 0
    element = kind.element_type
    bits = 64 if isinstance(element, ir.IndexType) else _bits(element)
    count = 1
    for size in kind.shape:
        count *= size
    return max(count, 1) * -(-bits // 8)


def _bits(element: Any) -> int:
    if isinstance(element, ir.IntegerType | ir.FloatType):
        return int(element.width)
    return 0


def _add_argument(func: Any, size: int) -> Any:
    block = func.regions[0].blocks[0]
    kind = ir.MemRefType.get([size], ir.IntegerType.get_signless(8))
    attributes = func.attributes.get("arg_attrs", ())
    given = list(attributes) or [ir.DictAttr.get({})] * len(list(block.arguments))
    argument = block.add_argument(kind, func.location)
    set_signature(func)
    about = ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get()})
    func.attributes["arg_attrs"] = ir.ArrayAttr.get([*given, about])
    func.attributes[WORKSPACE] = i64(size)
    return argument


def _view(workspace: Any, offset: int, kind: Any) -> Any:
    index = ir.IndexType.get()
    value = ir.IntegerAttr.get(index, offset)
    start = ir.Operation.create(
        "arith.constant", results=[index], attributes={"value": value}
    ).results[0]
    return ir.Operation.create(
        "memref.view", operands=[workspace, start], results=[kind]
    ).results[0]
