"""What a class's own `__getattribute__` and `__setattr__` make of a name.

Before                                              After
------                                              -----
def __getattribute__(self, key):                    the attribute `n_layer`,
    if key in super().__getattribute__("names"):    asked as `num_layers`
        key = super().__getattribute__("names")[key]
    return super().__getattribute__(key)

The object and the name are known, so the hook is run here on what is recorded. What
counts is which attribute `object` is asked for in the end: that one is read. A hook
that gives anything else is not looked through: NotEvaluated. Neither is one that asks
for what a run may change, except in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.ir.demand import Absent
from dycl.ir.dialect import (
    GetattrOp,
    IfOp,
    InvokeOp,
    ReturnOp,
)
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.values import FunctionRef, ObjectRef

if TYPE_CHECKING:
    from dycl.ir.environment import Environment

GET, SET = "__getattribute__", "__setattr__"
_BASE_GET, _BASE_SET = f").{GET}", f").{SET}"
_MAX_OPS = 1000
_Function = Callable[[str], Operation | None]
_Answers = dict[tuple[object, ...], str | NotEvaluated]
"""What was asked of an object, and all that the answer depends on -> the answer."""


def read_name(
    environment: Environment, ref: ObjectRef, name: str, function: _Function
) -> str:
    """The attribute that reading `name` reads. NotEvaluated; Absent: the hook is."""
    return _name(environment, ref, name, GET, function)


def set_name(
    environment: Environment, ref: ObjectRef, name: str, function: _Function
) -> str:
    """The attribute that setting `name` sets, to just the value given."""
    return _name(environment, ref, name, SET, function)


def _name(
    environment: Environment, ref: ObjectRef, name: str, hook: str, function: _Function
) -> str:
    member = environment.members(ref.path).get(hook)
    if member is None:
        return name
    if not isinstance(member, FunctionRef):
        raise NotEvaluated(f"`{hook}` of {environment.class_name(ref.path)}")
    op = environment.op(ref.path)
    body = function(member.symbol)
    if body is None:
        raise Absent(member.symbol)
    answers, key = op.derived(_answers), (hook, name, environment.changing)
    if key not in answers:
        try:
            answers[key] = _Run(environment, ref, hook, function).name(member, name)
        except Absent:
            raise
        except NotEvaluated as why:
            answers[key] = why
    answer = answers[key]
    if isinstance(answer, NotEvaluated):
        raise answer
    return answer


def _answers(members: DictionaryAttr) -> _Answers:
    """What has been answered of an object with these members: nothing yet."""
    return {}


class _Value:
    """What is set, or what the last read gives: nothing looks into it."""


class _OwnAttributes:
    """The object's `__dict__`. What it has is recorded, but not what is its class's."""


class _Run:
    """One run of a hook."""

    def __init__(
        self, environment: Environment, ref: ObjectRef, hook: str, function: _Function
    ):
        self.environment = environment
        self.ref = ref
        self.hook = hook
        self.function = function
        self.left = _MAX_OPS
        self.asked: list[tuple[str, object]] = []
        """What `object` was asked for, and what it gave."""

    def name(self, hook: FunctionRef, name: str) -> str:
        """The name behind a name."""
        value = _Value()
        given = [self.ref, name] if self.hook == GET else [self.ref, name, value]
        try:
            result = self.call(hook, given)
        except NotEvaluated:
            raise
        except Exception as why:
            raise NotEvaluated(f"`{self.hook}`, which raises {why!r}") from None
        if not self.asked:
            raise NotEvaluated(f"`{self.hook}`, which asks for nothing")
        asked_name, last = self.asked[-1]
        expected = last if self.hook == GET else None
        if result is not expected:
            raise NotEvaluated(f"`{self.hook}`, which gives another value")
        if self.hook == SET and (len(self.asked) != 1 or last is not value):
            raise NotEvaluated("`__setattr__`, which sets something else")
        return asked_name

    def call(self, function: FunctionRef, given: Sequence[object]) -> object:
        op = self.function(function.symbol)
        if op is None:
            raise Absent(function.symbol)
        if not isinstance(op, FuncOp) or len(op.body.block.args) != len(given):
            raise NotEvaluated(f"`{self.hook}` with other parameters")
        block = op.body.block
        ended, values = self.block(block, dict(zip(block.args, given, strict=True)))
        assert ended
        return values[0]

    def block(
        self, block: Block, env: dict[SSAValue, object]
    ) -> tuple[bool, list[object]]:
        """Whether the function ends in a block, and the values that end one of both."""
        for op in block.ops:
            self.left -= 1
            if self.left < 0:
                raise NotEvaluated(f"`{self.hook}`, which takes long")
            given = [env[v] for v in op.operands]
            if isinstance(op, ReturnOp):
                return True, given
            if isinstance(op, RegionTerminator) and op.target is block.parent_op():
                return False, given
            if isinstance(op, IfOp):
                side = op.regions[0 if self.environment.to_bool(given[0]) else 1]
                ended, results = self.block(side.block, env)
                if ended:
                    return True, results
            else:
                results = self.op(op, given)
            env.update(zip(op.results, results, strict=True))
        raise NotEvaluated(f"`{self.hook}`, which does not end")

    def op(self, op: Operation, given: list[object]) -> list[object]:
        from dycl.ir.semantics import evaluate

        if isinstance(op, InvokeOp) and op.method.data.endswith((_BASE_GET, _BASE_SET)):
            return [self.of_base(op.method.data, given)]
        if isinstance(op, InvokeOp) and isinstance(given[0], _OwnAttributes):
            return [self.of_own_attributes(op.method.data, given[1:])]
        if isinstance(op, GetattrOp) and given[0] == self.ref:
            return [self.of_own(op.attribute.data)]
        if op.regions or any(isinstance(v, _Value | _OwnAttributes) for v in given):
            raise NotEvaluated(f"`{self.hook}`, which does more")
        return evaluate(op, given, self.environment)

    def of_own(self, name: str) -> object:
        """`self.name` inside of a hook: the object's own `__getattribute__`."""
        hook = self.environment.members(self.ref.path).get(GET)
        if hook is None:
            return self.recorded(name)
        if not isinstance(hook, FunctionRef):
            raise NotEvaluated(f"`{self.hook}`, which reads attributes")
        return self.call(hook, [self.ref, name])

    def of_base(self, method: str, given: list[object]) -> object:
        """`super().__getattribute__(name)`: another class's, or `object`'s."""
        if given[0] != self.ref or not isinstance(given[1], str):
            raise NotEvaluated(f"`{self.hook}` of another object")
        above = self.environment.members(self.ref.path).get(method)
        if isinstance(above, FunctionRef):
            return self.call(above, given)
        name = given[1]
        if method.endswith(_BASE_SET):
            self.asked.append((name, given[2]))
            return None
        value = self.recorded(name)
        if self.hook == GET and name != "__dict__":
            self.asked.append((name, value))
        return value

    def recorded(self, name: str) -> object:
        """What `object.__getattribute__` gives, as far as that is known."""
        members = self.environment.members(self.ref.path)
        if name == "__dict__":
            return _OwnAttributes()
        if name in self.environment.changing or name not in members:
            return _Value()  # who reads it is told that there is none
        return members[name]

    def of_own_attributes(self, method: str, given: list[object]) -> object:
        """`self.__dict__.get(name, default)` of what nothing has, and nothing sets."""
        name, *default = given
        is_there = name in self.environment.members(self.ref.path)
        if method != "get" or is_there or name in self.environment.changing:
            raise NotEvaluated(f"`{self.hook}`, which asks for `__dict__`")
        return default[0] if default else None
