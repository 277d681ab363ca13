"""Calls of modules with forward hooks: what `Module.__call__` does, spelled out.

Before                       After
------                       -----
%y = dycl.call @fc(%x)       %args = dycl.tuple(%x)
                             %new = dycl.call @before(@fc, %args)
                             %given = not (%new is None)
                             %all = dycl.if %given -> { new arguments } else { %args }
                             %out = dycl.call @forward(* = %all)
                             %other = dycl.call @after(@fc, %all, %out)
                             %y = `%out if %other is None else %other`
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    IfOp,
    InvokeOp,
    TruthOp,
    TupleOp,
    UnpackOp,
    UnsupportedOp,
    YieldOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.hooks import WRONG_RESULT, Hook, HookedCall
from dycl.ir.values import GlobalRef, ObjectRef, to_attr
from dycl.passes import _edit as edit


def expand_hooked_call(
    op: CallOp | InvokeOp, module: ObjectRef, call: HookedCall
) -> None:
    """Put the hooks and the call between them in place of a call."""
    block = Block()
    b = _Builder(op, block)
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
    edit.move_before(op, list(block.ops))
    edit.replace(op, [result])


class _Builder:
    """Adds ops at the place of a call to a block."""

    def __init__(self, op: Operation, block: Block):
        self.place = op.location
        self.block = block

    def emit(self, op: Operation) -> Sequence[SSAValue]:
        op.location = self.place
        self.block.add_op(op)
        return op.results

    def value(self, op: Operation) -> SSAValue:
        return self.emit(op)[0]

    def constant(self, value: object) -> SSAValue:
        return self.value(ConstantOp(to_attr(value)))

    def given(self, value: SSAValue) -> SSAValue:
        """Whether a hook gave something."""
        compared = self.value(CompareOp("is_not", value, self.constant(None)))
        return self.value(TruthOp(compared))

    def is_tuple(self, value: SSAValue) -> SSAValue:
        kind, test = GlobalRef("builtins.tuple"), GlobalRef("builtins.isinstance")
        call = CallOp(self.constant(test), [value, self.constant(kind)])
        return self.value(TruthOp(self.value(call)))

    def choose(
        self,
        test: SSAValue,
        text: str,
        then: Callable[[], Sequence[SSAValue]],
        els: Callable[[], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """`then if test else els`."""
        around, regions, count = self.block, list[Region](), 0
        for side in (then, els):
            self.block = Block()
            values = side()
            self.emit(YieldOp(values))
            count = len(values)
            regions.append(Region(self.block))
        self.block = around
        op = IfOp(test, [VALUE] * count, regions[0], regions[1])
        op.attributes["test"] = StringAttr(text)
        return self.emit(op)


def _before(
    b: _Builder, hook: Hook, owner: SSAValue, args: SSAValue, kwargs: SSAValue
) -> Sequence[SSAValue]:
    """The arguments after a pre-hook."""
    given = [owner, args, *([kwargs] if hook.with_keywords else [])]
    new = b.value(CallOp(b.constant(hook.function), given))

    def pair() -> Sequence[SSAValue]:
        return b.choose(
            *(b.is_tuple(new), "the hook's result is a tuple"),
            lambda: b.emit(UnpackOp(new, 2, None)),
            wrong,
        )

    def wrong() -> Sequence[SSAValue]:
        what, help_ = (
            "this hook gives other things",
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
