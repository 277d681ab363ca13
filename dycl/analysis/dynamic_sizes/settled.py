"""Whether what torch was asked about some sizes holds for these only.

int(n * 0.7)     n == 37, since torch was asked with 37
"""

import ast
from collections.abc import Callable, Sequence

from dycl.analysis.dynamic_sizes.ranges import allows, always
from dycl.analysis.dynamic_sizes.size_texts import is_true, words


def is_settled(guard: str, hints: dict[str, int], required: Sequence[str]) -> bool:
    """Whether a guard excludes sizes that have all that is required.

    Not if it compares strides, which are products of `Max(1, size)`, and excludes no
    elements alone: `8 * Max(1, n % 4) == 8 * (n % 4)`.
    """
    of_elements = _without_floors(guard)
    # What is reckoned with as 1 has no hint: that it is 1 is among what is required.
    single = {name: 1 for relation in required for name in words(relation)}
    return not always(guard) and any(
        not is_true(guard, sizes)
        and not is_true(of_elements, sizes)
        and all(is_true(r, {**single, **sizes}) for r in required)
        for sizes in other_sizes(guard, hints)
    )


def _without_floors(relation: str) -> str:
    """A relation with `size` for each `Max(1, size)`."""
    if "Max(1, " not in relation:
        return relation
    return ast.unparse(_Floors().visit(ast.parse(relation, mode="eval")))


class _Floors(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.args:
            case [ast.Constant(value=1), size] if ast.unparse(node.func) == "Max":
                return size
            case _:
                return node


def other_sizes(guard: str, hints: dict[str, int]) -> list[dict[str, int]]:
    """Other sizes than those of the hints, one by one and all of them; smaller ones, as
    there may be no larger: of `3 - n` rows, where torch was asked with 3, or of an
    index that is the last one."""
    others: list[dict[str, int]] = []
    for step in (1, _STEP, -1):
        near = {name: _neighbour(name, hint, step) for name, hint in hints.items()}
        others += ({**hints, name: near[name]} for name in dict.fromkeys(words(guard)))
        others.append(near)
    return others


def said_without(
    guard: str, hints: dict[str, int], probe: Callable[[dict[str, int]], str | None]
) -> str | None:
    """What eager says where a guard does not hold, if that is an IndexError."""
    others = (n for n in other_sizes(guard, hints) if not is_true(guard, n))
    how = next(map(probe, others), None) or ""
    return how if how.startswith("IndexError: ") else None


FIXED_ONLY = "torch gives the shape of this result for fixed sizes only"


_STEP = 17
"""To a size that counts differently: `n // 3` is 12 of 37 and of 38."""


def _neighbour(name: str, hint: int, step: int) -> int:
    """Another size that a name may be of, and not 1, which torch broadcasts."""
    near = (hint + step, hint - step, hint + 1)
    return next((n for n in near if n > 1 and allows(name, n)), hint - 1)
