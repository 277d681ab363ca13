"""What an op surely raises, whatever the data: on values and types that are known.

On plain values Python is asked. On tensors torch is asked, three times, with other
elements each time: on zeros, on ones, and on what a generator with a seed gives. It is
the types that are at fault if all three raise the same, and fake tensors, which have no
elements, do not do either.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, cast

from xdsl.ir import Operation

from dycl.analysis.tensors.abstract import Tensor, leaves, map_leaves
from dycl.analysis.tensors.fakes import concrete, quiet, run_on_tensors
from dycl.ir.dtypes import torch_dtype
from dycl.ir.environment import Environment
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.semantics import evaluate
from dycl.ir.values import GlobalRef, ObjectRef, ParamRef

_PLAIN = (bool, int, float, str, type(None))
_RAISED = (TypeError, ValueError, IndexError, RuntimeError)
"""What is raised on tensors; on plain values also what `_OF_PYTHON` has."""
_OF_PYTHON = (*_RAISED, ZeroDivisionError, KeyError, OverflowError)
MOST = 1 << 25
"""Larger operands are not tried: the answer is not worth the memory."""

Failure = tuple[str, str]
"""The full name of a builtin exception, and its text."""


def failure_of(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Failure | None:
    """What an op raises on these abstract values; None: nothing, or not known."""
    if len(op.results) != 1:
        return None
    operand_leaves = list(leaves(tuple(operands)))
    if all(isinstance(leaf, _PLAIN) for leaf in operand_leaves):
        return _raised(lambda: evaluate(op, operands, environment), _OF_PYTHON)
    if not all(map(_may_be_tried, operand_leaves)) or _size(operand_leaves) > MOST:
        return None
    texts = {_on_tensors(op, operands, environment, element) for element in _ELEMENTS}
    return texts.pop() if len(texts) == 1 else None


def _may_be_tried(leaf: object) -> bool:
    if isinstance(leaf, Tensor):
        return leaf.is_static
    if isinstance(leaf, GlobalRef):
        return leaf.name.startswith("torch.")
    return isinstance(leaf, (*_PLAIN, ObjectRef, ParamRef))


def _size(found: Sequence[object]) -> int:
    tensors = [leaf for leaf in found if isinstance(leaf, Tensor)]
    return sum(prod(tensor.sizes) for tensor in tensors)


def _raised(
    run: Callable[[], object], kinds: tuple[type[Exception], ...]
) -> Failure | None:
    try:
        run()
    except NotEvaluated:
        return None
    except Exception as error:
        known = next((k for k in kinds if type(error) is k), None)
        return None if known is None else (f"builtins.{known.__name__}", str(error))
    return None


def _on_tensors(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    elements: "Callable[[Any, Any], Any]",
) -> Failure | None:
    import torch

    def real(leaf: object) -> object:
        if isinstance(leaf, Tensor):
            dtype = torch_dtype(leaf.dtype)
            return elements(torch.empty(leaf.sizes, dtype=dtype), torch)
        return concrete(leaf, {})

    def parameter(_: str, ref: ParamRef) -> object:
        dtype = torch_dtype(ref.dtype)
        return elements(torch.empty(ref.shape, dtype=dtype), torch)

    def run() -> object:
        given = map_leaves(tuple(operands), real)
        return run_on_tensors(
            op, cast("tuple[object, ...]", given), environment, parameter
        )

    with torch.no_grad(), quiet():
        return _raised(run, _RAISED)


def _drawn(empty: Any, torch: Any) -> Any:
    generator = torch.Generator().manual_seed(0)
    drawn = torch.rand(empty.shape, generator=generator) * 3
    return drawn.to(empty.dtype)


_ELEMENTS: "tuple[Callable[[Any, Any], Any], ...]" = (
    lambda empty, torch: empty.zero_(),
    lambda empty, torch: empty.fill_(1),
    _drawn,
)
