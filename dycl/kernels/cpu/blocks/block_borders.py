"""`cpu-block-borders`: what a kernel takes or gives in blocks has its memory's type.

`dycl-assign-layouts` says which arguments and results these are; the type that torch
knows is that of the rows. An unpack or pack stands at the border, for
`cpu-propagate-blocks` to move to where it meets another.

Before:
    func.func @k(%x: tensor<1x32x8x8xf32> {dycl.blocked = array<i64: 1, 16>}) -> ..
      %y = ... %x

After:
    func.func @k(%xb: tensor<1x2x8x8x16xf32> {..}) -> ..
      %x = linalg.unpack %xb inner_dims_pos = [1] inner_tiles = [16]
      %y = ... %x

Needs:  linalg on tensors, attributes of arguments and results as they came in.
Leaves: functions whose types are those of `dycl.kernels.specs`, results without
        attributes.
Skips:  everything without `dycl.blocked`.
"""

from typing import Any

from dycl.ir.host.layouts import Blocks
from dycl.kernels.cpu.blocks.block_contractions import pack, unpack
from dycl.kernels.cpu.check import argument_blocks, result_blocks
from dycl.kernels.cpu.mlir import functions, ir, set_signature


def block_borders(module: Any) -> None:
    """Rewrite the border of every function of `module`."""
    for func in functions(module):
        inputs, outputs = argument_blocks(func), result_blocks(func)
        if not any((*inputs, *outputs)):
            continue
        block = func.regions[0].blocks[0]
        with func.location:
            for argument, blocks in zip(block.arguments, inputs, strict=True):
                if blocks is not None:
                    _take(argument, blocks)
            operation = list(block.operations)[-1].operation
            with ir.InsertionPoint(operation):
                for index, blocks in enumerate(outputs):
                    if blocks is not None:
                        value = operation.operands[index]
                        operation.operands[index] = pack(
                            value, (blocks.dim,), blocks.size
                        )
        if "res_attrs" in func.attributes:
            del func.attributes["res_attrs"]  # results become arguments later
        set_signature(func, [value.type for value in operation.operands])


def _take(argument: Any, blocks: Blocks) -> None:
    """Give an argument the type of its memory; who used it gets it unpacked."""
    rows = argument.type
    shape = blocks.cut(rows.shape)
    users = [(use.owner, use.operand_number) for use in argument.uses]
    argument.set_type(ir.RankedTensorType.get(list(shape), rows.element_type))
    with ir.InsertionPoint.at_block_begin(argument.owner):
        value = unpack(argument, rows, (blocks.dim,))
    for user, number in users:
        user.operands[number] = value
