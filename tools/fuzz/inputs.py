"""Inputs of a program: usual ones, odd ones, and what lies on its own constants."""

import ast
import math

MOST = 8
"""So many constants of a program have inputs of their own."""


def inputs(source, count=10):
    """Tensors of 1x4, in the order in which they are run.

    Of one sign, small and large ones; -0.0, NaN, infinities, denormals; equal elements,
    whose sums are exact; and for each constant of the program the number itself, as
    float32 has it, alone and between its neighbours.
    """
    import torch

    generator = torch.Generator().manual_seed(0)
    x = torch.randn(count, 1, 4, generator=generator)
    x[0], x[1] = x[0].abs(), -x[1].abs()
    usual = [row * (0.3, 1.0, 3.0)[i % 3] for i, row in enumerate(x)]
    inf, nan, tiny = math.inf, math.nan, torch.finfo(torch.float32).tiny / 4
    odd = [
        [-0.0, 0, -0.0, 0],
        [nan, 0.5, -1, 2],
        [0.3, -2, inf, -1],
        [-inf, 1, nan, inf],
        [tiny, -tiny, 0, 3 * tiny],
        [0.0] * 4,
        [1, 0, 1, 0],
        [-0.5, 2, 2, -0.5],
        [nan] * 4,
    ]
    for place, constant in enumerate(constants(source)):
        odd += [_alone(constant, place), _between(constant, place)]
    return [*usual, *torch.tensor(odd).unsqueeze(1)]


def constants(source):
    """The numbers that a program compares with, in the order of their places."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                number = _number(side)
                if number:
                    found.setdefault((side.lineno, side.col_offset), number)
    numbers = dict.fromkeys(found[place] for place in sorted(found))
    return list(numbers)[:MOST]


def _number(node):
    """The float that an expression is, or None."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, float) and math.isfinite(value) else None


def _alone(constant, place):
    """The constant among zeros: a sum, a mean of one or a maximum of them is exact."""
    row = [0.0] * 4
    row[place % 4] = constant
    return row


def _between(constant, place):
    """The constant with the next numbers on both sides; their sum is none of them."""
    import torch

    number = torch.tensor(constant)
    ends = [torch.tensor(end) for end in (math.inf, -math.inf)]
    row = [number, *(number.nextafter(end) for end in ends), torch.tensor(2.718)]
    return torch.stack(row).roll(place).tolist()
