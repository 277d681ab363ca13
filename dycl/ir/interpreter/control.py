"""Control flow: which region is run next, and who takes its values."""

from collections.abc import Iterable, Sequence
from typing import Protocol, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir.dialect import (
    ConditionOp,
    ForOp,
    IfOp,
    LocalReturnOp,
    RaiseOp,
    ReturnOp,
    ScopeOp,
    SwitchOp,
    TryOp,
    UnreachableOp,
    WhileOp,
)
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator
from dycl.ir.interpreter.effects import exception_of
from dycl.ir.interpreter.objects import LiveEnvironment
from dycl.ir.interpreter.result import Decision, location_of
from dycl.ir.interpreter.signals import (
    Env,
    InterpreterError,
    Jump,
    NotReached,
    RaisedAgain,
    Return,
    Signal,
    Unbound,
    UnsupportedReached,
    Values,
)
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.records import Record
from dycl.ir.values import LeafRef, ObjectRef, from_attr
from dycl.ir.walking import walk


class Runner(Protocol):
    """What control flow needs of the machine."""

    @property
    def environment(self) -> LiveEnvironment:
        """The model's objects."""
        ...

    def run_block(self, block: Block, env: Env) -> Signal:
        """Run a block to its end."""
        ...

    def decide(self, op: Operation, decision: Decision) -> None:
        """Note which way an `if`, or the test of a loop, went."""
        ...


def end_of(op: Operation, env: Env) -> Signal | None:
    """The signal of a terminator, or None for any other op.

    Raises what `dycl.raise` says; InterpreterError for `dycl.unreachable`.
    """
    match op:
        case ReturnOp():
            values = [read(value, env) for value in op.values]
            return Return(values, op.structure)
        case LocalReturnOp():
            return Return(_forwarded(op.values, env))
        case FuncReturnOp():
            return Return([read(value, env) for value in op.operands])
        case RaiseOp() if op.is_again:
            raise RaisedAgain
        case RaiseOp():
            raise exception_of(op, [read(value, env) for value in op.values])
        case UnreachableOp():
            raise NotReached("a location that no path reaches was reached")
        case RegionTerminator():
            if (target := op.target) is None:
                raise InterpreterError(f"{op.name} leads nowhere")
            goes_on = not isinstance(op, ConditionOp) or bool(read(op.condition, env))
            return Jump(target, op, _forwarded(op.forwarded, env), goes_on)
        case _:
            return None


def read(value: SSAValue, env: Env) -> object:
    """The value of a name. Raises UnboundLocalError when it has none on this path."""
    result = env[value]
    if isinstance(result, Unbound):
        raise UnboundLocalError(
            f"cannot access local variable '{result.variable}' where it is not "
            "associated with a value"
        )
    return result


def run_control(op: Operation, env: Env, machine: Runner) -> Signal | None:
    """Run an op that owns regions; None: go on with the op after it."""
    match op:
        case IfOp():
            taken = bool(read(op.condition, env))
            _decide(op, taken, machine)
            return _run(op, op.then_region if taken else op.else_region, env, machine)
        case SwitchOp():
            number, count = cast(int, read(op.position, env)), len(op.arms)
            inside = 0 <= number < count
            return _run(op, op.arms[number if inside else -1], env, machine)
        case ScopeOp():
            return _run(op, op.body, env, machine)
        case TryOp():
            return _try(op, env, machine)
        case ForOp():
            return _for(op, env, machine)
        case WhileOp():
            return _while(op, env, machine)
        case _:
            raise InterpreterError(f"{op.name} cannot be run")


def _run(
    op: RegionBranchOp, region: Region, env: Env, machine: Runner
) -> Signal | None:
    """Run one region of an op that is no loop."""
    signal = machine.run_block(region.block, env)
    if isinstance(signal, Jump) and signal.target is op:
        return _go_on(op, signal.values, env)
    return signal


def _try(op: TryOp, env: Env, machine: Runner) -> Signal | None:
    """The body; what it raises goes to a handler, if that can be said.

    Raises UnsupportedReached where it cannot be said which handler that is.
    """
    try:
        return _run(op, op.body, env, machine)
    except (InterpreterError, NotEvaluated, UnsupportedReached):
        raise
    except RaisedAgain:  # in a handler around: what that has caught is not at hand
        raise UnsupportedReached(*op.REFUSAL, op) from None
    except Exception as error:
        raised = error
    if op.goes_on:
        if any(isinstance(inner, RaiseOp) for inner in walk(op.handlers[0].block)):
            raise UnsupportedReached(*op.REFUSAL, op) from raised
        try:
            return _run(op, op.handlers[0], env, machine)
        except NotReached:
            raise raised from None
    if any(names.data == "?" for names in op.catches):
        raise UnsupportedReached(*op.REFUSAL, op) from raised
    for names, handler in zip(op.catches.data, op.handlers, strict=True):
        if not _names_of(type(raised)).isdisjoint(names.data.split()):
            try:
                return _run(op, handler, env, machine)
            except RaisedAgain:
                raise raised from None
    raise raised


def _names_of(kind: type[BaseException]) -> set[str]:
    """The classes of an exception, as `dycl.try` has them."""
    return {
        c.__name__ if c.__module__ == "builtins" else f"{c.__module__}.{c.__qualname__}"
        for c in kind.__mro__
    }


def _decide(op: Operation, taken: bool, machine: Runner) -> None:
    words = [op.attributes.get("test"), op.attributes.get("name")]
    test = next((w.data for w in words if isinstance(w, StringAttr) and w.data), "")
    machine.decide(op, Decision(test, taken, location_of(op.location)))


def _for(op: ForOp, env: Env, machine: Runner) -> Signal | None:
    iterable = read(op.iterable, env)
    # Python's own iterator: a list that grows while it is walked stays so here.
    if isinstance(iterable, ObjectRef):
        iterable = machine.environment.iterate(iterable)
    carried = _forwarded(op.initial, env)
    for item in cast(Iterable[object], machine.environment.resolve(iterable)):
        _bind(op.body.block.args, [item, *carried], env)
        signal = machine.run_block(op.body.block, env)
        if not isinstance(signal, Jump) or signal.target is not op:
            return signal
        carried = signal.values
        if not op.continues(signal.end):
            break
    return _go_on(op, carried, env)


def _while(op: WhileOp, env: Env, machine: Runner) -> Signal | None:
    carried = _forwarded(op.initial, env)
    while True:
        _bind(op.before.block.args, carried, env)
        signal = machine.run_block(op.before.block, env)
        if not isinstance(signal, Jump) or signal.target is not op:
            return signal
        if op.is_decision:
            _decide(op, signal.goes_on, machine)
        if not signal.goes_on:
            return _go_on(op, signal.values, env)
        _bind(op.body.block.args, signal.values, env)
        signal = machine.run_block(op.body.block, env)
        if not isinstance(signal, Jump) or signal.target is not op:
            return signal
        carried = signal.values
        if not op.continues(signal.end):
            return _go_on(op, carried, env)


def _forwarded(values: Sequence[SSAValue], env: Env) -> Values:
    """Values that are handed on, not read: a name without a value may be among them."""
    return [env[value] for value in values]


def _go_on(op: Operation, values: Values, env: Env) -> None:
    _bind(op.results, values, env)


def _bind(names: Sequence[SSAValue], values: Values, env: Env) -> None:
    if len(names) != len(values):
        raise InterpreterError(f"{len(values)} values for {len(names)} names")
    env.update(zip(names, values, strict=True))


def structure_of(returned: Return, environment: LiveEnvironment) -> object:
    """The Python value that a function returns with these values.

    A kernel's or helper's several values without a structure are a tuple.
    """
    values = list(returned.values)
    if returned.structure is not None:
        return _fill(from_attr(returned.structure), values, environment)
    if len(values) == 1:
        return values[0]
    return tuple(values) if values else None


def _fill(
    structure: object, values: Sequence[object], environment: LiveEnvironment
) -> object:
    match structure:
        case LeafRef(index):
            return values[index]
        case tuple():
            items = cast(tuple[object, ...], structure)
            return tuple(_fill(item, values, environment) for item in items)
        case list():
            return [
                _fill(item, values, environment)
                for item in cast(list[object], structure)
            ]
        case Record(kind, items):
            return Record(
                kind, tuple(_fill(item, values, environment) for item in items)
            )
        case dict():
            entries = cast(dict[object, object], structure).items()
            return {key: _fill(item, values, environment) for key, item in entries}
        case _:
            return environment.resolve(structure)
