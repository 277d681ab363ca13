"""Calls that are wrong whatever their operands are written as.

Torch takes them apart into other ops; where it cannot, they are refused.
"""

from typing import Any


def always(node: Any) -> bool:
    """Every call."""
    return True


def uneven_pool(node: Any) -> bool:
    """Windows of unequal size: torch-mlir takes all to be like the first."""
    shape = node.args[0].meta["val"].shape
    result = node.meta["val"]
    wanted = (result[0] if isinstance(result, tuple) else result).shape
    return any(
        size % out for size, out in zip(reversed(shape), reversed(wanted), strict=False)
    )


def of_nothing(node: Any) -> bool:
    """The largest of no elements: eager raises."""
    given, result = node.args[0].meta["val"], node.meta["val"]
    first = result[0] if isinstance(result, (tuple, list)) else result
    sizes = [size for size in given.shape if type(size) is int]
    return 0 in sizes and not any(s == 0 for s in first.shape if type(s) is int)


def no_product(node: Any) -> bool:
    """An einsum of a letter that only one tensor has and that is summed, or that one
    tensor has twice; one of a single tensor, of no elements, or without a right
    side."""
    text, arrow, right = str(node.args[0]).replace(" ", "").partition("->")
    sides = [side.replace("...", "") for side in text.split(",")]
    if not arrow or len(sides) < 2:
        return True
    letters = "".join(sides)
    return (
        any(len(side) != len({*side}) for side in sides)
        or any(letter not in right and letters.count(letter) == 1 for letter in letters)
        or any(0 in tensor.meta["val"].shape for tensor in node.args[1])
    )
