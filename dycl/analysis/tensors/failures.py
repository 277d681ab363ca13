"""What an op surely raises, whatever the data: on values and types that are known.

On plain values Python is asked. On tensors torch is asked, three times, with other
elements each time: on zeros, on ones, and on what a generator with a seed gives. It is
the types that are at fault if all three raise the same, or one finds that there is no
kernel for a dtype, where the others fail before. Fake tensors, which have no
elements, mostly raise then as well; but they take some dtypes that eager has no kernel
for, and some shapes that it refuses (`raised_by_eager`).
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.sizes import GUARD, current, names_in, with_sizes
from dycl.analysis.tensors import leaf_modules
from dycl.analysis.tensors.abstract import Tensor, leaves, map_leaves
from dycl.analysis.tensors.fakes import concrete, explain, quiet, run_on_tensors
from dycl.analysis.tensors.small_tensors import one_thread
from dycl.ir import CallOp, InvokeOp, SubscriptOp, UpdateSubscriptOp
from dycl.ir.dialect.model import INDEX_ERROR
from dycl.ir.dtypes import torch_dtype
from dycl.ir.environment import Environment
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.records import Record
from dycl.ir.semantics import evaluate
from dycl.ir.updates import MISMATCH, UNLIKE
from dycl.ir.values import GlobalRef, ObjectRef, ParamRef
from dycl.prelude import TENSORS

_PLAIN = (bool, int, float, str, type(None))
_RAISED = (TypeError, ValueError, IndexError, RuntimeError, NotImplementedError)
"""What is raised on tensors; on plain values also what `_OF_PYTHON` has."""
_OF_PYTHON = (*_RAISED, ZeroDivisionError, KeyError, OverflowError)
MOST = 1 << 25
"""Larger operands are not tried: the answer is not worth the memory."""

MOST_AT_HAND = 1 << 18
"""Elements of operands and results up to which each op is tried: some milliseconds."""
_OF_VALUES = ("repeat_interleave", "as_strided", "as_strided_", "as_strided_scatter")
"""What may raise the same for all three, and not for others: a sum of elements has to
be right, or more memory than the tensor's own has to be there."""
_DIES = ("embedding_bag",)
"""What ends the process for some elements: more indices than bags reach to."""

_BY_ZERO = "ZeroDivisionError"
"""What eager says of integers divided by zero: kernels look for that themselves."""
_NO_KERNEL = " not implemented for '"
"""What eager says of a dtype: no elements mend that."""
_OF_DTYPES = (_NO_KERNEL, " no longer supported", " not supported", " only support ")
"""What it says of dtypes whatever the sizes are."""

Failure = tuple[str, str]
"""The full name of a builtin exception, and its text."""


def failure_of(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Failure | None:
    """What an op raises on these abstract values; None: nothing, or not known."""
    if len(op.results) != 1 or stand_in(operands) is not None:
        return None
    if _name_of(op, operands) in _DIES:
        return None
    if isinstance(op, SubscriptOp) and _is_key(operands, environment):
        return _raised(lambda: evaluate(op, operands, environment), (KeyError,))
    operand_leaves = list(leaves(tuple(operands)))
    if all(isinstance(leaf, _PLAIN) for leaf in operand_leaves):
        return _raised(lambda: evaluate(op, operands, environment), _OF_PYTHON)
    if any(isinstance(leaf, Tensor) and not leaf.is_static for leaf in operand_leaves):
        return _at_any_size(op, operands, environment)
    if not all(map(_may_be_tried, operand_leaves)) or _size(operand_leaves) > MOST:
        return None
    first = _on_tensors(op, operands, environment, _ELEMENTS[0])
    if first is None:
        return None
    rest = [_on_tensors(op, operands, environment, e) for e in _ELEMENTS[1:]]
    if all(failure == first for failure in rest):
        return first
    found = [failure for failure in (first, *rest) if failure is not None]
    return next((failure for failure in found if _NO_KERNEL in failure[1]), None)


def _is_key(operands: Sequence[object], environment: Environment) -> bool:
    """Whether a dict is asked for an object that equals itself alone, or a number, as
    members of enums do: what the dict holds has no part in it."""
    match operands:
        case [dict(), ObjectRef(path)]:
            members = environment.members(path)
            return "__eq__" not in members or "__data__" in members
        case _:
            return False


def stand_in(operands: object) -> str | None:
    """The class of a record among values that stands for a tensor of torch's: what an
    op does with that one, the record does not say. None: there is no such record."""
    match operands:
        case Record(kind, _) if kind.name in TENSORS:
            return kind.name
        case Record(_, items):
            return stand_in(items)
        case dict():
            return stand_in(tuple(cast("dict[object, object]", operands).values()))
        case tuple() | list():
            found = map(stand_in, cast("Sequence[object]", operands))
            return next((name for name in found if name is not None), None)
        case _:
            return None


def _at_any_size(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Failure | None:
    """An index that is too large for a known size, whatever the open ones are.

    What torch says then is the same for all that are tried.
    """
    names = names_in(operands)
    found: set[Failure | None] = set()
    for sizes in (dict.fromkeys(names, size) for size in _TRIED_SIZES):
        found.add(failure_of(op, [with_sizes(o, sizes) for o in operands], environment))
        if len(found) > 1 or None in found:
            return None
    (failure,) = found
    is_index = failure is not None and failure[0] == "builtins.IndexError"
    return failure if is_index else None


_TRIED_SIZES = (0, 1, 2, 3, 7, 37)


def raised_by_eager(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    results: Sequence[object],
) -> Exception | None:
    """What eager raises of an op that fake tensors took, and gave `results` for; of
    dynamic sizes what it says of dtypes, tried with the sizes that are reckoned with.
    """
    symbols = current()
    if symbols is not None:
        if not symbols.hints.keys() >= {*names_in((*operands, *results))}:
            return None
        operands = [with_sizes(tree, symbols.hints) for tree in operands]
        results = [with_sizes(tree, symbols.hints) for tree in results]
    known = [*leaves(tuple(operands)), *leaves(tuple(results))]
    tensors = [leaf for leaf in known if isinstance(leaf, Tensor)]
    if not tensors or not all(tensor.is_static for tensor in tensors):
        return None
    if _size(known) + _parameters(op, operands, environment) > MOST_AT_HAND:
        return None
    if _name_of(op, operands) in _OF_VALUES:
        return None
    import torch

    with torch.random.fork_rng(devices=()), one_thread():
        failure = failure_of(op, operands, environment)
    if failure is None or failure[1] == _BY_ZERO:
        return None
    name, text = failure
    if symbols is not None and not any(words in text for words in _OF_DTYPES):
        return None
    return next(kind for kind in _OF_PYTHON if name.endswith(f".{kind.__name__}"))(text)


def _name_of(op: Operation, operands: Sequence[object]) -> str:
    """The last part of the name of what is called."""
    match op, operands:
        case InvokeOp(), _:
            return op.method.data
        case CallOp(), [GlobalRef(name), *_]:
            return name.rpartition(".")[2]
        case _:
            return ""


def _parameters(
    op: Operation, operands: Sequence[object], environment: Environment
) -> int:
    """How many elements the parameters of a leaf module have."""
    match op, operands:
        case CallOp() | InvokeOp(), [ObjectRef(path), *_]:
            refs = leaf_modules.parameters(environment, path).values()
            return sum(prod(ref.shape) for ref in refs)
        case _:
            return 0


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
        text = str(error)
        if known is KeyError and isinstance(error.args[0], str):
            text = error.args[0]  # which `str` puts into quotes
        return None if known is None else (f"builtins.{known.__name__}", text)
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


def said_of(op: Operation, error: Exception) -> str:
    """What fake tensors say of sizes that do not fit an op; an IndexError of eager's
    begins with its name, and a run that has such sizes raises one as well.

    Of numbers of places that do not fit one another, they raise a RuntimeError. Where
    something is stored, they name sizes that no call has, but those tried here.
    """
    said = explain(error)
    if said.startswith(_STORED):
        return UNLIKE
    if said.startswith("index_copy_()") or (
        isinstance(op, SubscriptOp) and said.startswith(_DIFFER)
    ):
        return f"{INDEX_ERROR}{GUARD}"
    return f"{INDEX_ERROR}{said}" if isinstance(error, IndexError) else said


def is_for_the_run(op: Operation, operands: Sequence[object], said: str) -> bool:
    """Whether `said_of` is of counts that a run compares itself: what is stored by a
    mask, or at places, is as much as the data say, and the sizes tried are none."""
    if not isinstance(op, UpdateSubscriptOp):
        return False
    if said == MISMATCH:
        return True
    target, index, value = operands[0], operands[1], operands[-1]
    places = index if type(index) is tuple else (index,)
    if said != UNLIKE or op.kind is not None or len(operands) != 3:
        return False
    if not isinstance(target, Tensor) or not isinstance(value, Tensor):
        return False
    found = [one for one in cast("tuple[object, ...]", places) if _is_list(one)]
    rank = 1 + len(target.shape) - len(found)
    return len(found) == len(places) and len(value.shape) == rank


def _is_list(place: object) -> bool:
    """Whether a part of an index is a list of places."""
    is_tensor = isinstance(place, Tensor) and place.dtype != i1
    return is_tensor and len(cast(Tensor, place).shape) == 1


_STORED = "shape mismatch: value tensor of shape "
_DIFFER = ("Attempting to broadcast", "The size of tensor a ", "shape mismatch")
