"""What local functions are given and give: their bodies are walked to a fixed point.

A function is walked when a call of it is, with all that its calls give it so far. What
a call inside its own body gives is at first `Pending`: a path that ends says more, and
the next walk knows it. Sizes that differ from call to call are open.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import cast

from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.dynamic_sizes.size_names import SizeNames
from dycl.analysis.tensors.abstract import (
    ITEMS,
    Node,
    Pending,
    Scalar,
    Tensor,
    Unbound,
    Unknown,
    is_container,
    kind_of,
    leaves,
)
from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.analysis.tensors.joining import join
from dycl.analysis.tensors.sequences import item_of
from dycl.ir import (
    AppendOp,
    BinaryOp,
    CallOp,
    ExtendOp,
    LocalCallOp,
    LocalFunctionOp,
    LocalReturnOp,
    SelectOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.interfaces import forwarded_to
from dycl.ir.walking import walk


@dataclass(frozen=True)
class CallMismatch:
    """An argument, or a result, that is of no one kind in all calls."""

    what: str
    """The parameter; of no meaning for a result."""
    first: object
    then: object


@dataclass
class _State:
    """What is known of one local function."""

    given: list[object]
    """What its calls gave it up to the last walk."""
    gave: list[object]
    given_now: list[object] = field(default_factory=list[object])
    gave_now: list[list[object]] = field(default_factory=list[list[object]])
    is_walked: bool = False
    guesses: set[SSAValue] = field(default_factory=set[SSAValue])
    """What loops give that are not worked out yet."""
    assumes: set[int] = field(default_factory=set[int])
    """The results that not all paths are known to give."""


_MOST_WALKS = 8


class LocalCalls(SizeNames):
    """The part of `Inference` that knows local functions."""

    def __init__(self) -> None:
        super().__init__()
        self.call_mismatches: dict[Operation, CallMismatch] = {}
        """By call, or by function for what it gives."""
        self._functions: dict[LocalFunctionOp, _State] = {}
        self._around: list[_State] = []
        """The functions that are being walked."""
        self._reads_nothing = False
        """Whether something was read from a list in which nothing has been put yet."""

    @abstractmethod
    def of(self, value: SSAValue) -> object:
        """The abstract value of an SSA value."""

    @abstractmethod
    def walk(self, block: Block) -> None:
        """Work out the ops of a block."""

    @abstractmethod
    def _bind(self, names: Sequence[SSAValue], values: Sequence[object]) -> None:
        """Give SSA values their abstract values."""

    @abstractmethod
    def _change(self, values: Iterable[SSAValue]) -> None:
        """Forget what the lists and dicts among values hold."""

    def is_pending(self, values: Sequence[object]) -> bool:
        """Whether a value is made of what a recursion has not given yet, or of what
        was read from a list in which nothing has been put yet."""
        return bool(self._around or self._reads_nothing) and any(
            isinstance(leaf, Pending) for value in values for leaf in leaves(value)
        )

    def or_pending(self, value: object, sides: Sequence[object]) -> object:
        """What paths give that meet: where one gives None, and another what a recursion
        has not given yet, nobody knows yet whether it is None."""
        return Pending() if None in sides and self.is_pending(sides) else value

    def assume(self, result: SSAValue, first: object) -> object:
        """What a loop gives that is not worked out yet, and that starts with `first`.

        In a recursion tensors are assumed to stay what they are: what the loop goes
        over may wait for what the function gives.
        """
        value = self.typed(result)
        if not self._around or not isinstance(first, Tensor):
            return value
        if isinstance(value, Unknown):
            self._around[-1].guesses.add(result)
            return first
        return value

    def never_ends(self, function: LocalFunctionOp) -> bool:
        """Whether each path of a function that is called calls it again."""
        state = self._functions.get(function)
        return state is not None and any(isinstance(v, Pending) for v in state.gave)

    def visit_local_return(self, op: LocalReturnOp) -> None:
        """What a path of the function that is walked gives."""
        if self._around:
            self._around[-1].gave_now.append([_anything(self.of(v)) for v in op.values])

    def visit_local_call(self, op: LocalCallOp) -> None:
        """A call: its function is walked, unless this is a call inside of it."""
        function = op.function
        count = len(op.results)
        state = self._functions.get(function)
        given = [_anything(self.of(v)) for v in op.arguments]
        self._change(op.arguments)
        if state is None or len(state.gave) != count:
            pending: list[object] = [Pending()] * len(given)
            state = _State(pending, [Pending()] * count)
            self._functions[function] = state
        if state.is_walked:
            pairs = zip(state.given, given, strict=True)
            given = [one if _is_asked(one, other) else other for one, other in pairs]
            state.given_now = self._joined(function, op, state.given_now, given)
        else:
            state.given = self._joined(function, op, state.given, given)
            self._settle(function, state)
        gave = list(state.gave)
        for number, param in enumerate(lists := function.lists_returned):
            # Whatever a path adds to a list, it is that list.
            place = count - len(lists) + number
            gave[place] = join(gave[place], given[param])
        pairs = zip(gave, op.results, strict=True)
        self._bind(op.results, [self._outside(v, r) for v, r in pairs])

    def _settle(self, function: LocalFunctionOp, state: _State) -> None:
        """Walk a function until it is given, and gives, what it was said to."""
        state.is_walked = True
        self._around.append(state)
        outside = state.given
        for _ in range(_MOST_WALKS):
            state.given_now, state.gave_now = outside, []
            state.guesses = set()
            self._bind(function.params, state.given)
            self.walk(function.body.block)
            gave = self._given_back(function, state)
            if state.given_now == state.given and gave == state.gave:
                break
            state.given, state.gave = state.given_now, gave
        self._around.pop()
        state.is_walked = False

    def _given_back(self, function: LocalFunctionOp, state: _State) -> list[object]:
        """What the returns of a function agree on.

        A path that gives what is not known says nothing as long as another path gives
        something, or did in the last walk: it may wait for what the function gives, as
        `sum(self.node(c) for c in children)` does until the list has items of a type.
        Not so a node of a tree: of what kind it is, the unknown path may decide. Nor
        None: a function that gives it on one path gives something on another.
        """
        results: list[object] = [Pending()] * len(state.gave)
        waiting: set[int] = set()
        assumes = {*range(len(results))} if state.guesses else set[int]()
        for values in state.gave_now:
            if len(values) != len(results):
                return [Unknown()] * len(results)
            for number, (one, other) in enumerate(zip(results, values, strict=True)):
                if isinstance(other, Unknown) and not isinstance(other, Pending):
                    waiting.add(number)
                    continue
                value = self.join(one, other, function.params[0], True, 8 + number)
                _note(self.call_mismatches, function, "what", one, other, value)
                results[number] = value
        for number in waiting:
            one = results[number]
            known = state.gave[number] if isinstance(one, Pending) else one
            results[number] = known if _is_certain(known) else Unknown()
        state.assumes = waiting | assumes
        return results

    def assumed(self) -> set[SSAValue]:
        """What follows from results that a path which is not known yet may change."""
        functions = {f: s.assumes for f, s in self._functions.items() if s.assumes}
        if not functions:
            return set()
        around = next(iter(functions)).parent_op()
        inside = () if around is None else walk(around)
        calls = [op for op in inside if isinstance(op, LocalCallOp)]
        first = [v for state in self._functions.values() for v in state.guesses]
        first += [
            op.results[number]
            for op in calls
            for number in functions.get(op.function, ())
        ]
        return _following(first, calls)

    def _joined(
        self,
        function: LocalFunctionOp,
        call: LocalCallOp,
        before: Sequence[object],
        given: Sequence[object],
    ) -> list[object]:
        """What a function is given by its calls so far and another one."""
        results: list[object] = []
        for one, other, param in zip(before, given, function.params, strict=True):
            value = self.join(one, self._outside(other, param), param, True)
            what = param.name_hint or "an argument"
            _note(self.call_mismatches, call, what, one, other, value)
            results.append(value)
        return results

    def _outside(self, value: object, named: SSAValue) -> object:
        """A value whose open sizes are those of another name."""
        if not isinstance(value, Tensor) or value.is_static:
            return value
        shape = [
            size if isinstance(size, int) else self.dim(named, d)
            for d, size in enumerate(value.shape)
        ]
        return Tensor.contiguous(tuple(shape), value.dtype)


def of_pending(op: Operation, operands: Sequence[object]) -> object:
    """What an op gives that is given what a recursion has not given yet.

    It is what the op gives if a list of such values has no items: a sum is its start,
    the largest of them and other numbers is a number.
    """
    match op:
        case CallOp():
            return _call_of_pending(constant_name(op.callee), operands[1:])
        case BinaryOp() if op.kind_name == "add":
            for one in operands:
                if isinstance(one, list):
                    items = map(item_of, cast("list[object]", one))
                    item = reduce(join, items, Pending())
                    return ListOf(item) if isinstance(item, ITEMS) else Pending()
            return Pending()
        case SelectOp() if None not in operands[1:]:
            return reduce(join, operands[1:])
        case AppendOp() | ExtendOp():
            known = [one for one in operands if isinstance(one, ListOf)]
            return next((one for one in known if one.element is not None), Pending())
        case _:
            return Pending()


def _call_of_pending(name: str, given: Sequence[object]) -> object:
    match name, given:
        case "builtins.len", _:
            return Scalar("int")
        case "builtins.sum", [_]:
            return Scalar("int")
        case "builtins.sum", [_, start]:
            return _anything(start)
        case (("builtins.any" | "builtins.all"), _):
            return Scalar("bool")
        case (("builtins.max" | "builtins.min"), _):
            numbers = [one for one in given if kind_of(one) is not None]
            return reduce(join, map(_anything, numbers), Pending())
        case _:
            return Pending()


def _is_certain(value: object) -> bool:
    """Whether a path that gives a value says what those not known yet give."""
    return value is not None and not isinstance(value, Pending) and not _has_node(value)


def _is_asked(outside: object, inside: object) -> bool:
    """Whether a call from outside gives a node, and one inside what nobody knows yet.

    That is mostly made of the first, as `node.left` is: once its type is written,
    `dycl-match-nodes` reads it, and the next walk knows what it gives.
    """
    return _has_node(outside) and isinstance(inside, Unknown)


def _has_node(value: object) -> bool:
    while isinstance(value, ListOf):
        value = value.element
    return isinstance(value, Node)


def _following(
    values: Iterable[SSAValue], calls: Sequence[LocalCallOp]
) -> set[SSAValue]:
    """The values, and all that is made of them."""
    found: set[SSAValue] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value in found:
            continue
        found.add(value)
        for use in value.uses:
            op = use.operation
            waiting += [*op.results, *forwarded_to(op, use.index)]
            if isinstance(op, LocalCallOp):
                waiting.append(op.function.params[use.index])
            elif isinstance(op, LocalReturnOp):
                function = function_around(op)
                waiting += [
                    c.results[use.index] for c in calls if c.function is function
                ]
    return found


def _note(
    mismatches: dict[Operation, CallMismatch],
    at: Operation,
    what: str,
    one: object,
    other: object,
    joined: object,
) -> None:
    """Remember that two values that are known have nothing in common."""
    is_lost = isinstance(joined, Unknown) and not isinstance(joined, Pending)
    if is_lost and not isinstance(one, Unknown) and not isinstance(other, Unknown):
        mismatches[at] = CallMismatch(what, one, other)


def _anything(value: object) -> object:
    """A value of one call as one that others may have too."""
    if is_container(value):
        return Unknown()
    if value == Unbound(""):
        return Pending()  # nobody reads it: other paths say what it is
    kind = kind_of(value)
    if kind is not None:
        return Scalar(kind)
    if isinstance(value, (Tensor, ListOf, Node, Unknown)) or value is None:
        return value
    return Unknown()
