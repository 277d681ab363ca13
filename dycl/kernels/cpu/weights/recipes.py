"""What each buffer of a preparation is made of, so that kernels may share buffers.

Two kernels that read one weight in one form want the same bytes. Their preparations
are functions of their own, so this is found by what they say: a recipe is the digest of
the ops that a buffer is computed by, and the weights these read, in the order in which
they are first met. Equal recipes, bound to the same weights, give the same buffer.
"""

import hashlib
import re
from typing import Any

from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.weights.origins import outside_values
from dycl.kernels.specs import Recipe

_NAME = re.compile(r"%[\w$.-]+(?:#\d+)?|\^bb\d+")


def recipes(prepare: Any) -> tuple[Recipe, ...]:
    """The recipe of each result of a function that prepares weights."""
    block = prepare.regions[0].blocks[0]
    body = [op.operation for op in block.operations]
    texts: dict[Any, str] = {}
    return tuple(_recipe(value, texts) for value in body[-1].operands)


def _recipe(buffer: Any, texts: dict[Any, str]) -> Recipe:
    numbers: dict[Any, int] = {}
    weights: list[int] = []
    steps: list[str] = []

    def number(value: Any) -> int:
        if value in numbers:
            return numbers[value]
        if isinstance(value.owner, ir.Block):
            steps.append(f"weight {value.type}")
            weights.append(value.arg_number)
        else:
            op = value.owner.operation
            reads = [number(operand) for operand in outside_values(op)]
            if op not in texts:
                texts[op] = _text(op)
            steps.append(f"{value.result_number} of {reads} {texts[op]}")
        numbers[value] = len(numbers)
        return numbers[value]

    number(buffer)
    digest = hashlib.sha256("\n".join(steps).encode()).hexdigest()
    return Recipe(digest, tuple(weights))


def _text(op: Any) -> str:
    """An op as text that says nothing of the names of values or of its place."""
    names: dict[str, str] = {}
    text = op.get_asm(use_local_scope=True)
    return _NAME.sub(lambda found: names.setdefault(found[0], f"%{len(names)}"), text)
