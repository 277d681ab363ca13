"""The dynamic sizes of what a call returns, as formulas of the sizes of its inputs.

float32[1, n // 2, 64]    where `n` is a size of an input
"""

from collections.abc import Mapping
from typing import Any, cast

from xdsl.ir import SSAValue

from dycl.driver.explained_memory import Both, Formulas, formula_text
from dycl.host.native.needs import reckon
from dycl.ir import host
from dycl.ir.host.memory import KernelMemory
from dycl.ir.input_sizes import sizes_of

UNKNOWN = "?"


def output_sizes(
    func: host.FuncOp, memories: Mapping[str, KernelMemory]
) -> dict[SSAValue, list[str]]:
    """Of each tensor of dynamic size that is returned, a text for each dimension.

    "?" where the data or a branch decide. What nothing is known of is left out.
    """
    if not sizes_of(func):
        return {}
    returned = _Returned(func)
    reckon(func, memories, returned)
    return returned.texts


class _Returned(Formulas):
    def __init__(self, func: host.FuncOp) -> None:
        super().__init__(func)
        self.texts: dict[SSAValue, list[str]] = {}

    def input_size(self, number: int, dimension: int) -> Both:
        """A size of what a network keeps from call to call has no name."""
        is_named = number < len(self._names)
        if is_named and (self._names[number], dimension) in self._places:
            return super().input_size(number, dimension)
        return 0, self._unknown()

    def either(self, one: Both, other: Both) -> Both:
        larger = max(one[0], other[0])
        return one if one == other else (larger, self._unknown())

    def returns(self, value: SSAValue, sizes: list[Both]) -> None:
        self.texts[value] = [self._text(formula) for _, formula in sizes]

    def _unknown(self) -> Any:
        """Each is a number of its own, so that the difference of two is not 0."""
        return self._sympy.Dummy(UNKNOWN)

    def _text(self, formula: Any) -> str:
        found = cast("set[Any]", formula.free_symbols)
        is_known = all(
            name.name.isidentifier() and not isinstance(name, self._sympy.Dummy)
            for name in found
        )
        return formula_text(formula) if is_known else UNKNOWN
