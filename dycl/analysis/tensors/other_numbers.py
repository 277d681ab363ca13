"""What an op does with other numbers than the samples: other shapes, or an error."""

import math
import re
from collections.abc import Sequence

from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.size_texts import CannotReckon
from dycl.analysis.tensors.abstract import Scalar, Tensor, leaves, map_leaves
from dycl.analysis.tensors.memo import note_failure
from dycl.analysis.tensors.number_ranges import OVERFLOW
from dycl.analysis.tensors.single_runs import SAMPLES, run
from dycl.ir.environment import Environment


def are_alike(
    op: Operation, operands: Sequence[object], environment: Environment, found: object
) -> bool:
    """Whether other numbers give tensors of the same shapes, where they give any.

    Small ints, a large float, and numbers of which each is smaller than the one before
    it, as the step of `arange(0, n, step)` is: in the samples they grow.
    """
    shapes = [(x.shape, x.dtype) for x in leaves(found) if isinstance(x, Tensor)]
    wanted = (Scalar("int"), Scalar("float"))
    numbers = [x for tree in operands for x in leaves(tree) if x in wanted]
    if not shapes or not numbers:
        return True
    others = [{"int": number} for number in (0, 1, -1) if Scalar("int") in numbers]
    others += [{"float": 1e3}] if Scalar("float") in numbers else []
    tries = [(operands, {**SAMPLES[0], **other}) for other in others]
    if len(numbers) > 1:
        tries.append((_falling(operands, len(numbers)), SAMPLES[0]))
    for values, sample in tries:
        try:
            given = run(op, values, environment, sample)
        except CannotReckon:
            return False
        except Exception as error:
            note_failure(error)
            continue  # raised in a run as well
        tensors = [x for x in leaves(given.results) if isinstance(x, Tensor)]
        if [(x.shape, x.dtype) for x in tensors] != shapes:
            return False
    return True


def raised_for_some(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Exception | None:
    """What torch raises for some numbers, though not for the samples; None: nothing.

    Not that a number does not fit the dtype it becomes, which the run looks at.
    """
    others = [{"int": n} for n in (0, -1)]
    others += [{"float": f} for f in (0.0, -1.5, math.nan, math.inf)]
    found = [x for x in leaves(tuple(operands)) if isinstance(x, Scalar)]
    open_kinds = {number.kind for number in found if number.size is None}
    for other in others:
        if not open_kinds.isdisjoint(other):
            try:
                run(op, operands, environment, {**SAMPLES[0], **other})
            except CannotReckon:
                continue
            except Exception as error:
                note_failure(error)
                if _UNFIT.search(str(error)) is None:
                    return error
    return None


_UNFIT = re.compile(rf"{OVERFLOW}$|^cannot convert float ")
"""What eager and fake tensors say of a number that does not fit."""


def _falling(operands: Sequence[object], count: int) -> tuple[object, ...]:
    """The operands with a smaller number for each of so many open ones."""
    rest = iter(range(5 * count, 0, -5))
    made = {
        Scalar("int"): lambda: next(rest),
        Scalar("float"): lambda: next(rest) + 0.5,
    }

    def number(leaf: object) -> object:
        return made[leaf]() if isinstance(leaf, Scalar) and leaf in made else leaf

    return tuple(map_leaves(tree, number) for tree in operands)
