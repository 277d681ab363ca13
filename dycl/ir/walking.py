"""All ops inside something, in order, for the same price at any depth.

xDSL's own `walk` is a generator for each region, block and op, one inside another: an
op ten regions deep is handed on thirty times, and a chain of exits is that deep.
"""

from collections.abc import Iterator
from typing import Any

from xdsl.ir import Block, Operation, Region


def walk(root: Operation | Region | Block) -> Iterator[Operation]:
    """`root`, if it is an op, and all ops inside, each before those inside it.

    As with xDSL's `walk`, the op at hand may be erased or moved, and what its regions
    hold is looked at after the caller has seen it.
    """
    todo: list[Any] = []  # blocks to come, and where to go on in those on the way
    if isinstance(root, Block):
        todo.append(root)
    elif isinstance(root, Region):
        todo += reversed(root.blocks)
    else:
        yield root
        for region in reversed(root.regions):
            todo += reversed(region.blocks)
    while todo:
        op = todo.pop()
        kind = type(op)
        if kind is Block:
            op = op.first_op
        while op is not None:
            now, op = op, op._next_op  # its property takes as long as all the rest
            yield now
            if regions := now.regions:
                if op is not None:
                    todo.append(op)
                for region in reversed(regions):
                    todo += reversed(region.blocks)
                break


def ops_in(block: Block) -> Iterator[Operation]:
    """The ops of a block, in order; the op at hand may be erased or moved.

    xDSL's own iterator asks two properties for each, and its length, which `list` asks
    for, is counted.
    """
    op: Any = block.first_op
    while op is not None:
        now, op = op, op._next_op
        yield now


def outwards(op: Operation) -> Iterator[Operation]:
    """An op, and those around it, from the inside out."""
    around: Operation | None = op
    while around is not None:
        yield around
        around = around.parent_op()


def blocks_of(op: Operation) -> Iterator[Block]:
    """All blocks inside an op, outer before inner, in order; safe while editing."""
    stack = [b for r in reversed(op.regions) for b in reversed(list(r.blocks))]
    while stack:
        block = stack.pop()
        yield block
        inner = [b for o in block.ops for r in o.regions for b in r.blocks]
        stack.extend(reversed(inner))
