"""Copies of ops, with all that is inside, in one walk.

xDSL's own `clone` makes the copy without operands and then walks both trees again, for
graphs in which a value may be used before it is defined. In our IR none is.
"""

from typing import TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue

OpT = TypeVar("OpT", bound=Operation)


def clone(op: OpT, values: dict[SSAValue, SSAValue] | None = None) -> OpT:
    """A copy of an op; its operands, and those inside, are looked up in `values`.

    The values that the copy defines are added there. An op with regions of several
    blocks, which jump to one another, is copied by xDSL.
    """
    if values is None:
        values = {}
    if op.successors or any(len(region.blocks) > 1 for region in op.regions):
        return op.clone(values)
    operands = [values.get(operand, operand) for operand in op.operands]
    regions: list[Region] = []
    for region in op.regions:
        regions.append(new := Region())
        if (block := region.first_block) is not None:
            new.add_block(_without_ops(block, values))
            for inner in block.ops:
                new.block.add_op(clone(inner, values))
    copy = op.create(
        operands=operands,
        result_types=op.result_types,
        properties=op.properties,
        attributes=op.attributes,
        location=op.location,
        regions=regions,
    )
    for old, result in zip(op.results, copy.results, strict=True):
        values[old] = result
        result.name_hint = old.name_hint
    return copy


def _without_ops(block: Block, values: dict[SSAValue, SSAValue]) -> Block:
    new = Block(arg_types=[argument.type for argument in block.args])
    for old, argument in zip(block.args, new.args, strict=True):
        values[old] = argument
        argument.location = old.location
        argument.name_hint = old.name_hint
    return new
