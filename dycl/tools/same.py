"""Does a program mean the same after some passes? Values, exceptions and decisions."""

import copy
import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dycl.analysis.manager import PassContext
from dycl.backends import claims_for
from dycl.ir.dialect.decisions import DecisionOp
from dycl.ir.interpreter import (
    Decision,
    Interpreter,
    InterpreterError,
    Result,
    UnsupportedReached,
)
from dycl.ir.interpreter.result import location_of
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.verify import verify_dominance
from dycl.ir.walking import walk
from dycl.options import CompileOptions
from dycl.pipelines import Pipeline
from dycl.universe import everything


@dataclass(frozen=True)
class Outcome:
    """How a run ended: with a result, or with what the program raised."""

    result: Result | None
    error: Exception | None = None


def new_context() -> PassContext:
    """A context that knows every installed dialect, each loaded when it is met."""
    context = PassContext(claims=claims_for(CompileOptions()))
    for name, load in everything().all_dialects.items():
        context.register_dialect(name, load)
    return context


def apply_pipeline(
    context: Context, module: ModuleOp, pipeline: str, without: Sequence[str] = ()
) -> None:
    """Run passes and phases (pipeline text) over a module, verifying after each.

    Raises what the passes raise, VerifyException for a module that a pass broke, and
    PipelineError for a pass or an option that does not exist.
    """
    asked = Pipeline.parse(pipeline).expanded(without)
    for item in asked.load(everything().all_passes):
        item.apply(context, module)
        module.verify()
        verify_dominance(module)


def run_program(
    module: ModuleOp,
    inputs: Sequence[object],
    weights: Mapping[str, object],
    entry: str = "forward",
) -> Outcome:
    """Run; an exception of the program's own is an outcome too.

    Raises InterpreterError, NotEvaluated and UnsupportedReached: those say that the
    module, not the program, is at fault.
    """
    try:
        own = copy.deepcopy(list(inputs))  # a program may write to them
        return Outcome(Interpreter(module, weights).run(own, entry))
    except (InterpreterError, NotEvaluated, UnsupportedReached):
        raise
    except Exception as error:
        return Outcome(None, error)


def decision_places(module: ModuleOp) -> frozenset[str]:
    """Where the decisions of a program are: `file:line:col`, else their words."""
    return frozenset(
        location_of(op.location) or op.test
        for op in walk(module)
        if isinstance(op, DecisionOp)
    )


def difference(
    before: Outcome,
    after: Outcome,
    tolerance: float = 0.0,
    locations: Collection[str] | None = None,
) -> str | None:
    """A sentence that says what is not the same, or None.

    Values: the same structure, types, dtypes and shapes; numbers within a relative and
    absolute `tolerance`, NaN equal to NaN. Exceptions: the same type; passes may
    reword them. Decisions: those that are left, in order; a pass may remove one that
    is settled at compile time, but never turn one. Passes add decisions by design: the
    test of a loop that was a `for`, a choice that was a `switch` or an index. With
    `locations`, where the decisions of the program before are, those elsewhere are
    taken for such.
    """
    if before.result is None or after.result is None:
        return _error_difference(before, after)
    value_change = value_difference(before.result.value, after.result.value, tolerance)
    path = after.result.path
    if locations is not None:
        path = [item for item in path if _key(item)[0] in locations and item.test]
    return value_change or path_difference(before.result.path, path)


def _error_difference(before: Outcome, after: Outcome) -> str | None:
    if type(before.error) is type(after.error):
        return None
    return f"before: {_ending(before)}; after: {_ending(after)}"


def _ending(outcome: Outcome) -> str:
    if outcome.result is not None:
        return f"returns {outcome.result.value!r}"
    return f"raises {type(outcome.error).__name__}: {outcome.error}"


def path_difference(
    before: Sequence[Decision], after: Sequence[Decision]
) -> str | None:
    """A sentence when `after` is not `before` with some decisions left out."""
    rest = iter(before)
    for index, decision in enumerate(after):
        wanted = _key(decision)
        if not any(_key(candidate) == wanted for candidate in rest):
            side = "true" if decision.taken else "false"
            return (
                f"decision {index} after the passes, `{decision.test}` at "
                f"{decision.location or 'an unknown location'}, is {side}; "
                "there is no such decision at that point before them"
            )
    return None


def _key(decision: Decision) -> tuple[str, bool]:
    return decision.location or decision.test, decision.taken


def value_difference(
    before: object, after: object, tolerance: float = 0.0, where: str = "the value"
) -> str | None:
    """A sentence that says where two Python values differ, or None."""
    if type(before) is not type(after):
        return f"{where}: {type(before).__name__} became {type(after).__name__}"
    match before:
        case float():
            equal = _close(before, cast(float, after), tolerance)
        case tuple() | list():
            items = cast(Sequence[object], before)
            return _items(items, cast(Sequence[object], after), tolerance, where)
        case deque():
            old, new = cast(deque[object], before), cast(deque[object], after)
            if old.maxlen != new.maxlen:
                return f"{where}: maxlen={old.maxlen} became {new.maxlen}"
            return _items(old, new, tolerance, where)
        case _ if is_dataclass(before):
            old, new = _fields(before), _fields(after)
            return value_difference(old, new, tolerance, where)
        case dict():
            old, new = cast(dict[Any, Any], before), cast(dict[Any, Any], after)
            if list(old) != list(new):
                return f"{where}: keys {list(old)} became {list(new)}"
            return _first(
                value_difference(old[k], new[k], tolerance, f"{where}[{k!r}]")
                for k in old
            )
        case _ if hasattr(before, "dtype"):
            return _tensors(before, after, tolerance, where)
        case _:
            equal = before == after
    return None if equal else f"{where}: {before!r} became {after!r}"


def _fields(record: Any) -> dict[str, object]:
    """What a dataclass holds; one with `__slots__` has no `__dict__`."""
    if hasattr(record, "__dict__"):
        return dict(vars(record))
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _items(
    old: Sequence[object], new: Sequence[object], tolerance: float, where: str
) -> str | None:
    if len(old) != len(new):
        return f"{where}: {len(old)} items became {len(new)}"
    return _first(
        value_difference(a, b, tolerance, f"{where}[{i}]")
        for i, (a, b) in enumerate(zip(old, new, strict=True))
    )


def _tensors(old: Any, new: Any, tolerance: float, where: str) -> str | None:
    import torch

    kinds = [f"{t.dtype} {tuple(t.shape)}" for t in (old, new)]
    if kinds[0] != kinds[1]:
        return f"{where}: {kinds[0]} became {kinds[1]}"
    close: Callable[..., bool] = torch.allclose
    if close(old, new, rtol=tolerance, atol=tolerance, equal_nan=True):
        return None
    apart = (old.double() - new.double()).abs().max().item()
    return f"{where}: tensors differ by up to {apart:g}"


def _close(old: float, new: float, tolerance: float) -> bool:
    if math.isnan(old) or math.isnan(new):
        return math.isnan(old) and math.isnan(new)
    if old == new:
        return math.copysign(1, old) == math.copysign(1, new) or tolerance > 0
    return math.isclose(old, new, rel_tol=tolerance, abs_tol=tolerance)


def _first(sentences: Iterable[str | None]) -> str | None:
    return next(filter(None, sentences), None)
