"""`cpu-empty-arguments`: tensors without elements have a pointer at the border, too.

MLIR gives some types of such memory, `memref<1x0xf32>`, no bare pointer. The argument
stays, as a `memref<0xf32>`, so that callers need no rule of their own; whatever still
names it in the kernel gets memory of no bytes, since nobody reads or writes it.

Before:
    func.func @k(%x: memref<1x4xf32>, %y: memref<1x0xf32>) {
      memref.copy %z, %y

After:
    func.func @k(%x: memref<1x4xf32>, %y: memref<0xf32>) {
      %0 = memref.alloca() : memref<1x0xf32>
      memref.copy %z, %0

Needs:  results that are arguments, and no dynamic sizes: `cpu-pass-sizes`.
Leaves: the number and order of arguments.
Skips:  arguments of dynamic size: they have a pointer and sizes.
"""

from typing import Any

from dycl.kernels.cpu.mlir import functions, ir, set_signature


def empty_arguments(module: Any) -> None:
    """Give every argument without elements a type that has a pointer."""
    for func in functions(module):
        block = func.regions[0].blocks[0]
        empty = [a for a in block.arguments if _is_empty(a.type)]
        for argument in empty:
            with ir.InsertionPoint.at_block_begin(block), func.location:
                _take(argument)
        if empty:
            set_signature(func)


def _is_empty(found: Any) -> bool:
    return (
        isinstance(found, ir.MemRefType) and found.has_static_shape and 0 in found.shape
    )


def _take(argument: Any) -> None:
    kind = argument.type
    if list(argument.uses):
        memory = ir.Operation.create(
            "memref.alloca",
            results=[kind],
            attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])},
        )
        argument.replace_all_uses_with(memory.results[0])
    argument.set_type(ir.MemRefType.get([0], kind.element_type))
