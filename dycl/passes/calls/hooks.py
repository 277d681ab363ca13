"""Calls of modules with forward hooks: what `Module.__call__` does, spelled out.

Before                      After
------                      -----
%y = dycl.call %hooked(%x)  %args = dycl.tuple(%x)
dycl.return %y              %kwargs = dycl.dict()
                            %y = dycl.call %run("*" = %args, "**" = %kwargs)
                            %o = dycl.call %hook(%hooked, %args, %y)
                            %n = dycl.compare is_not %o, %none
                            %p = dycl.to_bool %n
                            %r = dycl.if %p -> (T) {
                              dycl.yield %o
                            } else {
                              dycl.yield %y
                            }
                            dycl.return %r
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    IfOp,
    InvokeOp,
    ToBoolOp,
    TupleOp,
    UnpackOp,
    UnsupportedOp,
    YieldOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.hooks import WRONG_RESULT, Hook, HookedCall
from dycl.ir.rewriting import LocatingBuilder, replace
from dycl.ir.values import GlobalRef, ObjectRef, to_attr


def expand_hooked_call(
    op: CallOp | InvokeOp, module: ObjectRef, call: HookedCall
) -> None:
    """Put the hooks and the call between them in place of a call."""
    b = _Builder(op)
    owner = b.constant(module)
    args = b.value(TupleOp(op.positional))
    args.name_hint = "args"
    keywords = [x for k, v in op.keyword_arguments.items() for x in (b.constant(k), v)]
    kwargs = b.value(DictOp(keywords))
    for hook in call.before:
        args, kwargs = _before(b, hook, owner, args, kwargs)
    forward = b.constant(call.forward)
    result = b.value(CallOp(forward, [args, kwargs], ["*", "**"]))
    result.name_hint = op.result.name_hint
    for hook in call.after:
        given = [owner, args, *([kwargs] if hook.with_keywords else []), result]
        result = _after(b, hook, given, result)
    replace(op, [result])


class _Builder(LocatingBuilder):
    """Adds ops in front of a call, or to a block inside of such an op."""

    def __init__(self, op: Operation):
        super().__init__(InsertPoint.before(op), op)

    def constant(self, value: object) -> SSAValue:
        return self.value(ConstantOp(to_attr(value)))

    def given(self, value: SSAValue) -> SSAValue:
        """Whether a hook gave something."""
        compared = self.value(CompareOp("is_not", value, self.constant(None)))
        return self.value(ToBoolOp(compared))

    def is_tuple(self, value: SSAValue) -> SSAValue:
        kind, test = GlobalRef("builtins.tuple"), GlobalRef("builtins.isinstance")
        call = CallOp(self.constant(test), [value, self.constant(kind)])
        return self.value(ToBoolOp(self.value(call)))

    def choose(
        self,
        test: SSAValue,
        text: str,
        then: Callable[[], Sequence[SSAValue]],
        els: Callable[[], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """`then if test else els`."""
        around, regions, count = self.insertion_point, list[Region](), 0
        for side in (then, els):
            block = Block()
            self.insertion_point = InsertPoint.at_end(block)
            values = side()
            self.insert(YieldOp(values))
            count = len(values)
            regions.append(Region(block))
        self.insertion_point = around
        op = IfOp(test, [VALUE] * count, regions[0], regions[1])
        op.attributes["test"] = StringAttr(text)
        return self.insert(op).results


def _before(
    b: _Builder, hook: Hook, owner: SSAValue, args: SSAValue, kwargs: SSAValue
) -> Sequence[SSAValue]:
    """The arguments after a pre-hook."""
    given = [owner, args, *([kwargs] if hook.with_keywords else [])]
    new = b.value(CallOp(b.constant(hook.function), given))

    def pair() -> Sequence[SSAValue]:
        return b.choose(
            *(b.is_tuple(new), "the hook's result is a tuple"),
            lambda: b.insert(UnpackOp(new, 2, None)).results,
            wrong,
        )

    def wrong() -> Sequence[SSAValue]:
        what, help_ = (
            "this hook returns something else",
            WRONG_RESULT.partition(" must ")[2],
        )
        return [b.value(UnsupportedOp("DY204", what, help_))] * 2

    def arguments() -> Sequence[SSAValue]:
        return b.choose(
            *(b.is_tuple(new), "the hook's result is a tuple"),
            lambda: [new],
            lambda: [b.value(TupleOp([new]))],
        )

    text = "the hook gives arguments"
    if hook.with_keywords:
        return b.choose(b.given(new), text, pair, lambda: [args, kwargs])
    return [*b.choose(b.given(new), text, arguments, lambda: [args]), kwargs]


def _after(
    b: _Builder, hook: Hook, given: list[SSAValue], result: SSAValue
) -> SSAValue:
    """The result after a hook."""
    new = b.value(CallOp(b.constant(hook.function), given))
    text = "the hook gives a result"
    return b.choose(b.given(new), text, lambda: [new], lambda: [result])[0]
