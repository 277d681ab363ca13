"""Whether a program is the same as before, without a copy of it to compare with."""

from typing import Any

from xdsl.ir import Block, Operation, SSAValue


def fingerprint(op: Operation) -> list[object]:
    """All ops inside `op`, in order, by all but names and locations.

    Equal for equal programs, and only for those. Linear in the number of ops; the list
    holds attributes and no ops, so what a pass erases can go.
    """
    numbers: dict[SSAValue | Block, int] = {}

    def number(value: SSAValue | Block) -> int:
        return numbers.setdefault(value, len(numbers))

    parts: list[object] = []
    todo: list[Any] = [op]
    while todo:
        inner = todo.pop()
        if type(inner) is Block:  # to ask for subclasses takes long
            parts.append(
                (number(inner), [(number(arg), arg.type) for arg in inner.args])
            )
            todo += reversed(inner.ops)
            continue
        parts.append(
            (
                inner.name,
                [number(value) for value in inner.operands],
                [(number(result), result.type) for result in inner.results],
                dict(inner.properties),
                dict(inner.attributes),
                [len(region.blocks) for region in inner.regions],
                [number(block) for block in inner.successors],
            )
        )
        blocks = [block for region in inner.regions for block in region.blocks]
        todo += reversed(blocks)
    return parts
