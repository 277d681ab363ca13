"""How ops are taken apart that torch-mlir lacks or gets wrong, by torch or by us.

A trace is made again until no call in it has to be taken apart (`decompositions`).
torch is imported in the functions.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, cast

from dycl.analysis.torch_fixes.apply import (
    functional_form,
    is_mislowered,
    repair,
    repairs_of_all_calls,
)
from dycl.analysis.torch_fixes.in_place import copied
from dycl.analysis.tracing.custom_kernels import has_kernel, kernel_of_call
from dycl.analysis.tracing.overloads import is_lowered
from dycl.lowerings import known_lowerings


def decompositions(graph: Any, table: dict[Any, Any]) -> dict[Any, Callable[..., Any]]:
    """How to take apart what torch-mlir lacks or gets wrong and torch can decompose."""
    from torch._ops import OpOverload

    result: dict[Any, Callable[..., Any]] = {}
    for node in graph.graph.nodes:
        target = node.target
        if not isinstance(target, OpOverload) or target in table:
            continue
        if kernel_of_call(node, target) is not None:
            continue
        if (users := known_lowerings().of(target)) is not None:
            result[target] = users
            continue
        known: Callable[..., Any] | None = None
        if not is_lowered(target) or is_mislowered(node):
            known = _known_decomposition(target)
        is_made_of_ops = not is_lowered(target) and _is_composite(target)
        if (written := repair(node, is_made_of_ops)) is not None:
            result[target] = written if known is None else _first(written, known)
        elif known is not None:
            result[target] = known
        elif not is_lowered(target) and (plain := functional_form(target)) is not None:
            result[target] = partial(copied, plain)
    return result


@cache
def repairs(known: str) -> dict[Any, Callable[..., Any]]:
    """What each call of an op is written as: nearly every trace has one of these, and
    would be made once more for it. `known`: the lowerings that come before them."""
    return {
        overload: written
        for overload, written in repairs_of_all_calls()
        if is_lowered(overload)
        and known_lowerings().of(overload) is None
        and not has_kernel(overload)
    }


def _known_decomposition(target: Any) -> Callable[..., Any] | None:
    """How torch takes an op apart, or None."""
    from torch._decomp import decomposition_table

    if target in (core_decompositions := _core_decompositions()):
        return core_decompositions[target]
    if is_lowered(target) and target in decomposition_table:
        return cast(Any, decomposition_table)[target]
    return target.decompose if _is_composite(target) else None


def _is_composite(target: Any) -> bool:
    """Whether torch has the op as calls of others."""
    return target._can_decompose()


def _first(written: Callable[..., Any], known: Callable[..., Any]) -> Any:
    """One way to write an op, and another where that one does not apply."""

    def one_or_other(*args: Any, **kwargs: Any) -> Any:
        result = written(*args, **kwargs)
        return known(*args, **kwargs) if result is NotImplemented else result

    return one_or_other


@cache
def _core_decompositions() -> dict[Any, Callable[..., Any]]:
    """torch's table; it goes through all operators each time it is asked for."""
    from torch._decomp import core_aten_decompositions

    return dict(core_aten_decompositions())
