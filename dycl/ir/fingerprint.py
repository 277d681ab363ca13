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

    found: list[object] = []
    todo: list[Any] = [op]
    while todo:
        one = todo.pop()
        if type(one) is Block:  # to ask for subclasses takes long
            found.append((number(one), [(number(arg), arg.type) for arg in one.args]))
            todo += reversed(one.ops)
            continue
        found.append(
            (
                one.name,
                [number(value) for value in one.operands],
                [(number(result), result.type) for result in one.results],
                dict(one.properties),
                dict(one.attributes),
                [len(region.blocks) for region in one.regions],
                [number(block) for block in one.successors],
            )
        )
        blocks = [block for region in one.regions for block in region.blocks]
        todo += reversed(blocks)
    return found
