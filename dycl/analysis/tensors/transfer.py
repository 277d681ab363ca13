"""What one op does to abstract values, found by running it on fake tensors.

`outcome` gives the results, which of them share memory with which operand, and which
operands are written to. Outcomes are remembered by the op and its operands' abstract
values: 54 equal blocks cost as much as one. torch is imported for ops on tensors.

A number that depends on the input is tried with two values. What differs between the
two depends on it and is unknown (a number: of that kind); all else does not.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, cast

from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes import single_sizes
from dycl.analysis.dynamic_sizes.attempts import PRIMES, attempts, has_small, larger
from dycl.analysis.dynamic_sizes.guards import requirements
from dycl.analysis.dynamic_sizes.neutral_names import NeutralNames
from dycl.analysis.dynamic_sizes.settled import FIXED_ONLY
from dycl.analysis.dynamic_sizes.size_texts import CannotReckon
from dycl.analysis.dynamic_sizes.sizes import (
    CHANGES,
    DEPENDS_ON_VALUES,
    Attempt,
    dims_of,
    is_counted,
    names_in,
    reckoning,
    with_attention_as_products,
    with_sizes,
)
from dycl.analysis.dynamic_sizes.symbol_words import (
    NO_VIEW,
    VIEW_OF_NUMBERS,
    in_letters,
)
from dycl.analysis.dynamic_sizes.views import (
    View,
    fitting_hints,
    is_the_view,
    view_of,
)
from dycl.analysis.dynamic_sizes.whole_sizes import WholeSizes, admitted, asks_for_one
from dycl.analysis.tensors.abstract import (
    Dim,
    Scalar,
    Tensor,
    Unknown,
    kind_of,
    leaves,
    map_leaves,
    signature,
)
from dycl.analysis.tensors.cells import is_unrolled
from dycl.analysis.tensors.element_numbers import numbers_apart, without_sizes
from dycl.analysis.tensors.failures import is_for_the_run, said_of
from dycl.analysis.tensors.fakes import (
    explain,
    needs_torch,
)
from dycl.analysis.tensors.memo import Memo, note_failure
from dycl.analysis.tensors.op_signatures import of_this_model, op_signature
from dycl.analysis.tensors.other_numbers import are_alike
from dycl.analysis.tensors.outcomes import Outcome, unknown
from dycl.analysis.tensors.refused import refusal, without_samples
from dycl.analysis.tensors.single_runs import SAMPLES, run, run_on_nothing
from dycl.analysis.tensors.stored_forms import FORMS
from dycl.ir.dialect.model import INDEX_ERROR
from dycl.ir.environment import Environment
from dycl.ir.not_evaluated import NotEvaluated
from dycl.support.plain_data import Format
from dycl.support.reasons import reworded

# Every index is in range for one of these, where the numbers above may not be.
_SMALL_SAMPLES: tuple[dict[str, Any], ...] = (
    {**SAMPLES[0], "int": 0},
    {**SAMPLES[1], "int": -1},
)
OUTCOMES = Memo[Outcome]("outcome", 8192, Format(*FORMS, Outcome))


def outcome(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Outcome:
    """What `op` does to these operands. Never raises for a program's own mistakes."""
    if (reason := refusal(op, operands, environment)) is not None:
        return unknown(op, reason)
    operands = numbers_apart(op, operands)
    if of_this_model(operands, environment):
        return _by_sizes(op, operands, environment)
    if not needs_torch(op, operands):
        key = op_signature(op, operands, environment)
        ask = partial(_by_sizes, op, operands, environment)
        return OUTCOMES.get(key, ask, is_quick=True)
    names = NeutralNames(operands)
    given = names.neutral(operands)
    key = op_signature(op, given, environment)
    result = OUTCOMES.get(key, partial(_by_sizes, op, given, environment))
    return result.with_own(names) if names else result


def _by_sizes(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Outcome:
    """Sizes that depend on the input are reckoned with, if they matter."""
    if any(map(_has_dynamic_size, operands)):
        return _reckon(op, operands, environment)
    result = _execute(op, without_sizes(operands), environment)
    counts = result.reason == DEPENDS_ON_VALUES
    if counts or (_is_vague(result) and names_in(operands)):
        reckoned = _reckon(op, operands, environment)
        if not _is_vague(reckoned):
            return reckoned
    return result


def _is_vague(found: Outcome) -> bool:
    """Whether something in the results is not known."""
    return any(isinstance(v, Unknown) for tree in found.results for v in leaves(tree))


def _reckon(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Outcome:
    """Run the op with torch's own symbols for sizes. A failure gives its reason.

    torch has none for 1. Where nothing else is left, a name may have to be 1.
    """
    found = _reckon_usual(op, operands, environment)
    if not _is_vague(found):
        return found
    executed = partial(_execute, op, environment=environment)
    for name in single_sizes.may_be_one(operands):
        places = single_sizes.places_of(operands, (name,))
        given = single_sizes.refined(operands, places)
        one = _by_sizes(op, given, environment)
        if _is_vague(one):
            continue
        if not single_sizes.takes_others(operands, name, one, executed):
            requires = (single_sizes.is_one(name), *one.requires)
            return replace(one, single=(*places, *one.single), requires=requires)
    return found


def _reckon_usual(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Outcome:
    """With sizes of two and more for names; expressions may be 1."""
    if is_unrolled(op, operands, environment):
        return unknown(op, FIXED_ONLY)
    usual = single_sizes.usual_sizes(operands)
    if not (single := single_sizes.single_texts(operands, usual)):
        return _reckon_any(op, operands, environment)
    whole = _reckon_whole(op, operands, environment)
    if whole is not None and single_sizes.holds(whole, usual):
        return whole
    places = single_sizes.places_of(operands, single)
    given = single_sizes.refined(operands, places)
    result = _reckon_any(op, given, environment)
    if _is_vague(result):
        return _reckon_any(op, operands, environment)
    probe = partial(_differs, op, operands, environment, result, lambda _: True)
    more = single_sizes.required(single, result, usual, probe)
    return replace(result, single=places, requires=(*more, *result.requires))


def _reckon_any(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Outcome:
    """With a symbol for each name; with one for each expression, where that fails or
    asks more of a run: of `n - 1` rows, there are two where `n` is three."""
    result = _reckon_with_names(op, operands, environment)
    if not _is_vague(result) and not result.requires:
        return result
    whole = _reckon_whole(op, operands, environment)
    if whole is None or _is_vague(result):
        return whole or result
    if asks_for_one(result.requires) and not asks_for_one(whole.requires):
        return whole  # Sizes that meet are equal more often than one of them is 1.
    names = names_in(operands)
    counts = [admitted(names, found.requires) for found in (result, whole)]
    if counts[1] == counts[0] and has_small(operands, result.attempt):
        return whole  # torch takes what is 0 or 1 for what it always is
    return whole if counts[1] > counts[0] else result


def _reckon_whole(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Outcome | None:
    """With a symbol for each expression; None: there is none, or that fails."""
    sizes = WholeSizes(operands)
    if not sizes:
        return None
    whole = _reckon_with_names(op, sizes.whole(operands), environment)
    if _is_vague(whole):
        return None
    return replace(whole.with_own(sizes), attempt=whole.attempt, is_whole=True)


def _reckon_with_names(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Outcome:
    """The same with a symbol for each name."""
    reason = ""
    view = view_of(op, operands)
    for attempt in attempts(operands, view and view.relation):
        try:
            found = _reckon_with(op, operands, environment, view, attempt)
        except CannotReckon as error:
            reason = reason or str(error)
        except Exception as error:
            why = explain(error)
            reason = reason or reworded(why, in_letters(why))
        else:
            if not has_small(found.results, attempt) or _is_vague(found):
                return found
            # torch may have said what holds of a single element only.
            large = larger(attempt)
            with suppress(Exception):
                other = _reckon_with(op, operands, environment, view, large)
                if not has_small(other.results, large) and not _is_vague(other):
                    return other
            return found
    return unknown(op, reason)


def _reckon_with(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    view: View | None,
    attempt: Attempt,
) -> Outcome:
    """With these sizes. CannotReckon, or what torch raises."""
    with reckoning(attempt) as symbols, with_attention_as_products():
        result = _execute_samples(op, operands, environment, SAMPLES)
        guards = symbols.guards()
        if guards and view is not None and not _is_vague(result):
            _check_view(view, result, attempt)
            guards = [view.relation]
            result = replace(result, results=(_viewed(result, view.shape),))
    if _is_vague(result):
        return result
    requires = requirements(
        guards,
        dict(attempt.hints),
        _ints_in(operands),
        partial(_differs, op, operands, environment, result, symbols.holds),
    )
    return replace(result, attempt=attempt, requires=requires)


def _check_view(view: View, found: Outcome, attempt: Attempt) -> None:
    """CannotReckon: what torch says of a view holds for sizes of the attempt only."""
    (tensor,) = found.results
    names = [name for name, _ in attempt.hints]
    others = map(dict, fitting_hints(view.relation, names, PRIMES))
    if not is_the_view(view, cast(Tensor, tensor), others):
        raise CannotReckon("the shape of this view is given for fixed sizes only")


def _viewed(found: Outcome, shape: tuple[int | Dim, ...]) -> Tensor:
    (tensor,) = found.results
    return Tensor.contiguous(shape, cast(Tensor, tensor).dtype)


def _ints_in(operands: Sequence[object]) -> list[str]:
    """Names of ints that are not known to be sizes of tensors."""
    return [name for name in names_in(operands) if name.startswith("n")]


def _differs(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    found: Outcome,
    holds: Callable[[dict[str, int]], bool],
    sizes: dict[str, int],
) -> str | None:
    """How an op with these sizes does not do what was reckoned; None: it does.

    An IndexError begins with its name: a run that has such sizes raises one as well.

    `holds`: whether the operands' sizes are then as it was reckoned with them. What an
    op of several steps makes on the way is not seen in its result.

    An op that counts, such as `nonzero`, takes any sizes, but for masks of another
    shape than what they select from.
    """
    if any(is_counted(dim) for leaf in leaves(found.results) for dim in dims_of(leaf)):
        return _is_no_mask(op, operands, environment, sizes)
    known = [with_sizes(tree, sizes) for tree in operands]
    try:
        with with_attention_as_products():
            given = run_on_nothing(op, known, environment)
            if given is None:
                given = _execute_samples(op, known, environment, SAMPLES).results
    except Exception as error:
        said = said_of(op, error)
        if not is_for_the_run(op, operands, said):
            return said
        return None if holds(sizes) else CHANGES
    if not holds(sizes):
        return CHANGES
    ours = [_plain(leaf) for leaf in leaves(with_sizes(found.results, sizes))]
    theirs = [_plain(leaf) for leaf in leaves(given)]
    return None if ours == theirs else CHANGES


def _is_no_mask(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    sizes: dict[str, int],
) -> str | None:
    """What eager says of masks of another shape, with these sizes; None: they fit."""
    if min(sizes.values()) < _SMALLEST_SYMBOL:
        return None
    try:
        with reckoning(Attempt(tuple(sizes.items()))):
            _execute_samples(op, operands, environment, SAMPLES)
    except IndexError:
        return _NO_MASK
    except Exception:
        pass
    return None


_NO_MASK = f"{INDEX_ERROR}the mask has another shape than what it selects from"
_SMALLEST_SYMBOL = 2
"""torch has symbols for sizes from here on."""


def _plain(leaf: object) -> object:
    return (leaf.shape, leaf.dtype) if isinstance(leaf, Tensor) else leaf


def _has_dynamic_size(tree: object) -> bool:
    return any(isinstance(v, Tensor) and not v.is_static for v in leaves(tree))


def _execute(
    op: Operation, operands: Sequence[object], environment: Environment
) -> Outcome:
    """Run the op, twice if a number is open. A failure gives its reason."""
    try:
        return _execute_samples(op, operands, environment, SAMPLES)
    except NotEvaluated as error:
        return unknown(op, str(error))
    except Exception as error:
        failure = unknown(op, without_samples(explain(error), operands))
    open_ints = any(leaf == Scalar("int") for tree in operands for leaf in leaves(tree))
    if not open_ints:
        return failure
    if NO_VIEW.search(failure.reason):
        failure = unknown(op, VIEW_OF_NUMBERS)
    try:
        return _execute_samples(op, operands, environment, _SMALL_SAMPLES)
    except Exception as error:
        note_failure(error)
        return failure


def _execute_samples(
    op: Operation,
    operands: Sequence[object],
    environment: Environment,
    samples: tuple[dict[str, Any], ...],
) -> Outcome:
    first = run(op, operands, environment, samples[0])
    if not any(isinstance(leaf, Scalar) for tree in operands for leaf in leaves(tree)):
        return first
    second = run(op, operands, environment, samples[1])
    why = "the result's shape or type depends on a number that the input decides"
    ones, others = list(leaves(first.results)), list(leaves(second.results))
    if len(ones) != len(others):
        return unknown(op, why)
    rest = iter(others)
    merged = map_leaves(first.results, lambda leaf: _merge(leaf, next(rest), why))
    if samples is SAMPLES and not are_alike(op, operands, environment, merged):
        return unknown(op, why)
    return Outcome(
        cast("tuple[object, ...]", merged),
        first.aliases | second.aliases,
        first.written | second.written,
    )


def _merge(first: object, second: object, why: str) -> object:
    """A leaf that came out of both samples."""
    if isinstance(first, Scalar) and first == second:
        return first
    if (kind := kind_of(first)) is not None and kind == kind_of(second):
        return Scalar(kind)
    return first if signature(first) == signature(second) else Unknown(why)
