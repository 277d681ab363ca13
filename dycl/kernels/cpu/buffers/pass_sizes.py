"""`cpu-pass-sizes`: sizes that are known at run time only cross the border of a kernel.

LLVM sees bare pointers there, which carry no sizes. So an argument with dynamic sizes
becomes a pointer and an i64 for each; a result of such a type is memory that the kernel
has made, and its address and sizes go into an argument of i64s.

Before:
    func.func @k(%x: memref<1x?xf32>, %slots: memref<3xi64>) -> memref<1x?xf32>

After:
    func.func @k(%x: memref<1xf32>, %size: i64, %slots: memref<3xi64>) {
      %whole = memref.reinterpret_cast %x to sizes: [1, %size]
      ...
      memref.store %address, %slots[0]; memref.store %one, %slots[1]; ...

Needs:  memrefs, deallocation done, `dycl.open_results` of `cpu-results-to-arguments`.
Leaves: functions of pointers and integers; memory for results as `malloc` gave it.
Skips:  functions whose sizes are all known, but for the attribute.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.buffers.results_to_arguments import OPEN_RESULTS
from dycl.kernels.cpu.mlir import functions, ir, set_signature


def pass_sizes(module: Any) -> None:
    """Rewrite the border of each function with dynamic sizes, in memref."""
    for func in functions(module):
        if OPEN_RESULTS not in func.attributes:
            continue  # a nest
        block = func.regions[0].blocks[0]
        results = list(ir.DenseI64ArrayAttr(func.attributes[OPEN_RESULTS]))
        slots = [block.arguments[i] for i in results]
        del func.attributes[OPEN_RESULTS]
        inputs = [a for a in block.arguments if not _is_static(a.type)]
        if not inputs and not slots:
            continue
        with func.location:
            _plain_alignment(func)
            _give_results(block, slots)
            _take_inputs(func, block)


def _is_static(found: Any) -> bool:
    if not isinstance(found, ir.MemRefType):
        return True
    return bool(found.has_static_shape)


def _plain_alignment(func: Any) -> None:
    """What `free` gets must be what `malloc` gave: no address is rounded up."""

    def visit(op: Any) -> Any:
        if op.name == "memref.alloc" and "alignment" in op.attributes:
            del op.attributes["alignment"]
        return ir.WalkResult.ADVANCE

    func.walk(visit)


def _give_results(block: Any, slots: list[Any]) -> None:
    operation = list(block.operations)[-1].operation
    with ir.InsertionPoint(operation):
        for memory, slot in zip(list(operation.operands), slots, strict=True):
            index = ir.IndexType.get()
            address = build.op(
                "memref.extract_aligned_pointer_as_index", [memory], index
            )
            sizes = [
                build.op("memref.dim", [memory, build.index(i)], index)
                for i in range(memory.type.rank)
            ]
            for place, value in enumerate([address, *sizes]):
                word = build.op(
                    "arith.index_cast", [value], ir.IntegerType.get_signless(64)
                )
                ir.Operation.create(
                    "memref.store", operands=[word, slot, build.index(place)]
                )
        ir.Operation.create("func.return")
        operation.erase()


def _take_inputs(func: Any, block: Any) -> None:
    i64 = ir.IntegerType.get_signless(64)
    attributes: list[Any] = []
    old = list(zip(block.arguments, func.attributes["arg_attrs"], strict=True))
    # Arguments can only be added at the end: all of them are made anew.
    for argument, attribute in old:
        kind = argument.type
        attributes.append(attribute)
        if _is_static(kind):
            new = block.add_argument(kind, func.location)
        else:
            bare = ir.MemRefType.get([1], kind.element_type)
            pointer = block.add_argument(bare, func.location)
            count = sum(kind.is_dynamic_dim(i) for i in range(kind.rank))
            sizes = [block.add_argument(i64, func.location) for _ in range(count)]
            attributes += [ir.DictAttr.get({})] * count
            with ir.InsertionPoint.at_block_begin(block):
                new = _whole(pointer, sizes, kind)
        argument.replace_all_uses_with(new)
    for _ in old:
        block.erase_argument(0)
    set_signature(func, [])
    func.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)


def _whole(pointer: Any, sizes: list[Any], kind: Any) -> Any:
    """The memory behind a pointer, in row-major order, with these sizes."""
    index = ir.IndexType.get()
    rest = iter([build.op("arith.index_cast", [size], index) for size in sizes])
    dynamic = ir.ShapedType.get_dynamic_size()
    shape: list[Any] = [
        next(rest) if kind.is_dynamic_dim(i) else kind.get_dim_size(i)
        for i in range(kind.rank)
    ]
    strides: list[Any] = []
    step: Any = 1
    for size in reversed(shape):
        strides.append(step)
        if isinstance(step, int) and isinstance(size, int):
            step *= size
        else:
            one, other = (
                build.index(x) if isinstance(x, int) else x for x in (step, size)
            )
            step = build.op("arith.muli", [one, other], index)
    strides.reverse()
    open_shape = [s for s in shape if not isinstance(s, int)]
    open_strides = [s for s in strides if not isinstance(s, int)]
    counts = [1, 0, len(open_shape), len(open_strides)]
    return ir.Operation.create(
        "memref.reinterpret_cast",
        operands=[pointer, *open_shape, *open_strides],
        results=[kind],
        attributes={
            "static_offsets": ir.DenseI64ArrayAttr.get([0]),
            "static_sizes": ir.DenseI64ArrayAttr.get(
                [s if isinstance(s, int) else dynamic for s in shape]
            ),
            "static_strides": ir.DenseI64ArrayAttr.get(
                [s if isinstance(s, int) else dynamic for s in strides]
            ),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get(counts),
        },
    ).results[0]
