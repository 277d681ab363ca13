"""Is a compiled network the model? Values, paths, and each kernel, against eager."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from dycl.checking.eager import EagerDecision, record_into
from dycl.checking.exposing import ExposedKernels
from dycl.checking.kernels import CompiledKernels
from dycl.checking.paths import first_difference, margins, near_misses
from dycl.checking.program import Net, Program
from dycl.checking.result import CallCheck, CheckResult
from dycl.checking.rounding import ILL_CONDITIONED, beyond_eager
from dycl.checking.row_calls import Call, calls_for
from dycl.checking.runs import (
    NOT_RUN,
    CompiledRun,
    Outcome,
    ReferenceRun,
    run_watched,
)
from dycl.checking.same_model import Model
from dycl.checking.values import TOLERANCES, Leaf, compare, numbers_in
from dycl.checking.watching import Watch
from dycl.runtime import Decision, InputError, InputSpec
from dycl.runtime.dtypes import tensor_of_array
from dycl.runtime.keywords import suggests


@suggests
def check(
    net: Net,
    model: Any,
    inputs: Sequence[Any],
    *,
    kwargs: Mapping[str, Any] | None = None,
    rtol: float | None = None,
) -> CheckResult:
    """Compare a compiled network with the model that it was compiled from.

    `net` is what `dycl.compile` or `dycl.load` gives, on either host; `model` the
    module, function or exported program. `inputs` are the arguments of one call, as for
    `dycl.compile`, and `kwargs` those by keyword; or a list of tuples, the arguments of
    several calls in a row.

    Each call is made four times: by the model in eager; by the network as it is; by the
    interpreter of its program with its compiled kernels; and by the interpreter alone,
    which at each launch gives the compiled kernel the same inputs: so an error is
    found at the kernel that makes it. Functions of the user's that a network calls back
    are so called four times, too. A network with state begins as it was compiled, and
    has the state that it had before when the check has ended.

    `rtol` is the largest error that is none, relative to the largest value of its
    tensor; by default 1e-4 for float32, and for other floats what fits their
    precision. A kernel whose error is larger does not drift if torch's own result is
    as far from that of float64.

    Of a network with `rows` each row of a call is compared with a call of the model:
    what it gets in its group and what it decides there, and the kernels for one row.
    How far a decision is from its threshold says whether another group may decide
    otherwise.

    CheckError, a ValueError: the weights or the state of the model are not those of the
    network, it is in training mode, the network holds no program, or a call no row.
    dycl.runtime.InputError: an argument does not fit.
    """
    single: Any = getattr(net, "single", None)
    checker = _Checker(net if single is None else single, Model(model), rtol)
    calls = inputs if _are_calls(inputs) and not kwargs else [inputs]
    return checker.check(calls_for(net, calls, kwargs or {}))


def _are_calls(inputs: Sequence[Any]) -> bool:
    return (
        type(inputs) is list and bool(inputs) and all(type(i) is tuple for i in inputs)
    )


class _Checker:
    def __init__(self, net: Net, model: Model, rtol: float | None):
        self._net = net
        self._program = Program.of(net)
        self._rtol = rtol
        model.check_weights(net)
        self._model = model
        self._weights = model.weights_for(net)
        self._kernels = CompiledKernels(
            net.kernels, net.weight_set, self._program.functions, self._program.specs
        )
        self._exposed = ExposedKernels(self._program, net)
        self._lines = self._program.lines_of_one()
        self._states: list[Mapping[str, object] | None] = [None, None]
        """What the two runs by the interpreter have left."""

    def check(self, calls: Sequence[Call]) -> CheckResult:
        before = self._net.state
        self._net.reset_state()
        try:
            if before:
                self._model.check_state(self._net.state)
            return CheckResult(tuple(map(self._call, calls)))
        finally:
            if before:
                self._net.state = before

    def _call(self, call: Call) -> CallCheck:
        args, kwargs = call.args, call.kwargs
        flat = self._inputs(args, kwargs)
        decisions: list[EagerDecision] = []
        eager_given = _as_torch((args, kwargs))
        eager = _outcome(lambda a, k: self._eager(decisions, a, k), eager_given)
        given = copy.deepcopy((args, kwargs))
        net = _outcome(self._run_net, given)
        if isinstance(net.error, InputError):
            raise net.error
        path, result = self._net.path, net
        if call.result is not None:
            path, result = call.path, call.result
        part = self._interpreted(flat, path, decisions)
        left = [
            leaf
            for name, mine, models in [
                ("inputs", given, eager_given),
                *self._model.left(self._net.state),
            ]
            for leaf in compare(mine, models, name)
        ]
        notes = [*part.found.notes, *_unexpected(part, eager)]
        return replace(
            part.found,
            name=call.name,
            notes=tuple(notes),
            values=self._values(result, eager, args, kwargs),
            left=tuple(leaf for leaf in left if not leaf.within(self._rtol)),
            raised=(_raised(result), _raised(eager)),
            host_differs=self._differ(net, part.here),
            program_differs=self._differ(part.right, eager),
        )

    def _run_net(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        rows: Any = getattr(self._net, "rows", None)
        if rows is None:
            return self._net(*args, **kwargs)
        return rows.of_one_row(args, kwargs)

    def _eager(
        self, decisions: list[EagerDecision], args: tuple[Any, ...], kwargs: Any
    ) -> Any:
        run = self._model.run
        if self._model.is_exported:  # It has no `if` of Python's.
            return run(*args, **kwargs)
        return record_into(decisions, run, args, kwargs)

    def _interpreted(
        self,
        flat: Sequence[Any],
        path: tuple[Decision, ...],
        decisions: Sequence[EagerDecision],
    ) -> "_Interpreted":
        """What the two runs by the interpreter say of a call."""
        try:
            here, mine = self._run_here(flat)
            expected = ReferenceRun(
                self._program, self._kernels, here.launches, self._rtol
            )
            right = self._run(expected, flat, self._states[1])
            close = near_misses(expected.decisions, here.decisions, self._rtol)
            note = self._exposed.compile(sorted(close)) if close else ""
            if close and not note:  # Once more, to see these values exactly.
                here, mine = self._run_here(flat)
        except NOT_RUN as error:
            note = f"kernels and margins are not known: {error}"
            found = CallCheck(path=path, notes=(note,), tolerance=self._rtol)
            return _Interpreted(found)
        self._states = [mine.state or self._states[0], right.state or self._states[1]]
        seen, wanted = here.decisions, expected.decisions
        found = CallCheck(
            path=path,
            path_difference=first_difference(
                path, seen, wanted, decisions, self._lines
            ),
            launches=tuple(expected.launches),
            margins=tuple(margins(wanted, seen)),
            notes=(note,) if note else (),
            tolerance=self._rtol,
        )
        return _Interpreted(found, mine, right)

    def _run_here(self, flat: Sequence[Any]) -> tuple[CompiledRun, Outcome]:
        watch = CompiledRun(self._program, self._kernels, self._exposed)
        return watch, self._run(watch, flat, self._states[0])

    def _run(
        self, watch: Watch, flat: Sequence[Any], state: Mapping[str, object] | None
    ) -> Outcome:
        return run_watched(self._program, self._weights, watch, flat, state)

    def _values(
        self, net: Outcome, eager: Outcome, args: tuple[Any, ...], kwargs: Any
    ) -> tuple[Leaf, ...]:
        """What is returned, against eager; less what rounding explains."""
        leaves = compare(net.value, eager.value)
        wrong = [leaf for leaf in leaves if not leaf.within(self._rtol)]
        errors = [leaf.error for leaf in wrong]
        if not wrong or not all(e and e.relative < ILL_CONDITIONED for e in errors):
            return leaves
        wide_args, wide_kwargs = _as_torch((args, kwargs))
        beyond = beyond_eager(
            self._model.run, wide_args, wide_kwargs, net.value, eager.value
        )
        if beyond > min(TOLERANCES[e.dtype] for e in errors if e is not None):
            return leaves
        return tuple(replace(leaf, is_rounding=leaf in wrong) for leaf in leaves)

    def _inputs(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """The tensors and numbers of a call, as the program takes them.

        InputError: they do not fit.
        """
        given, rest = args, kwargs
        if self._net.signature is not None:
            (given, _), rest = self._net.signature.take(args, kwargs), {}
        names = [spec.name for spec in self._net.inputs]
        values = [*given, *(rest[n] for n in names[len(given) :] if n in rest)]
        if len(values) != len(names):
            return []  # The network itself says what is wrong.
        pairs = zip(self._net.inputs, values, strict=True)
        return [_input(spec, value) for spec, value in pairs]

    def _differ(self, one: Outcome | None, other: Outcome | None) -> bool:
        """Whether the numbers in two results are others, whatever is around them."""
        if one is None or other is None:
            return False
        if one.error is not None or other.error is not None:
            return type(one.error) is not type(other.error)
        sides = list(numbers_in(one.value)), list(numbers_in(other.value))
        return not all(leaf.within(self._rtol) for leaf in compare(*sides))


@dataclass(frozen=True)
class _Interpreted:
    """What the interpreter's runs have found, and how they ended."""

    found: CallCheck
    here: Outcome | None = None
    right: Outcome | None = None


def _unexpected(part: _Interpreted, eager: Outcome) -> Iterator[str]:
    """What the runs by the interpreter raise, and eager does not."""
    runs = {"with compiled kernels": part.here, "alone": part.right}
    for how, outcome in runs.items():
        error = None if outcome is None else outcome.error
        if error is not None and type(error) is not type(eager.error):
            yield f"the interpreter {how} raises {type(error).__name__}: {error}"


_NUMBERS: dict[str, type] = {"int": int, "float": float, "bool": bool}


def _input(spec: InputSpec, value: Any) -> Any:
    if spec.shape is None:
        if spec.dtype == "node":
            return value  # a tree, of which levels and eager read the nodes themselves
        return _NUMBERS[spec.dtype](value)
    return _as_torch(value)


def _as_torch(value: Any) -> Any:
    """Arguments of eager's own: copies, arrays as tensors of torch's."""
    if isinstance(value, np.ndarray):
        return tensor_of_array(np.array(cast("Any", value)))
    if type(value) in (tuple, list):
        return type(value)(_as_torch(item) for item in cast("Sequence[Any]", value))
    if type(value) is dict:
        entries = cast("dict[Any, Any]", value).items()
        return {key: _as_torch(item) for key, item in entries}
    return copy.deepcopy(value)


def _outcome(
    run: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    given: tuple[tuple[Any, ...], dict[str, Any]],
) -> Outcome:
    try:
        return Outcome(run(*given))
    except Exception as error:
        return Outcome(error=error)


def _raised(outcome: Outcome) -> str:
    return "" if outcome.error is None else type(outcome.error).__name__
