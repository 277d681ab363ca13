"""`dycl-word-tensors`: a tensor in the text of an exception is told in words.

Before                               After
------                               -----
%f = dycl.constant "bad: {}"         %f = dycl.constant "bad: {}"
%s = dycl.invoke %f "format"(%x)     %w = dycl.constant
                                       "a float32 tensor of shape (3, 4)"
dycl.raise "builtins.ValueError"(%s) %s = dycl.invoke %f "format"(%w)
                                     dycl.raise "builtins.ValueError"(%s)

How torch writes a tensor is known where torch is. What is raised says of a tensor its
dtype and shape, and of one with a single element the number.

Needs:  types (`dycl-infer-shapes`), and that all calls are inlined.
Leaves: no tensor among the arguments of an exception, nor in the texts of which only
        exceptions are made.
Skips:  a text that is used elsewhere too, and one that asks for more than `{}` of
        several elements: those are refused later.
"""

import string
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from dycl.analysis.memory.effects import TEXT_OF
from dycl.diag import remark
from dycl.ir import CallOp, InvokeOp, RaiseOp
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.rewriting import apply_patterns, insert_constant, insert_value
from dycl.ir.torch import VTensorType
from dycl.ir.type_words import type_words


@dataclass(frozen=True)
class WordTensorsPass(ModulePass):
    """A tensor in the text of an exception is told in words."""

    name = "dycl-word-tensors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises nothing."""
        apply_patterns(op, WordsOfTensors(), kinds=(RaiseOp,))


class WordsOfTensors(RewritePattern):
    """Of a tensor that an exception is given, or that is in its text, the words."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: RaiseOp, rewriter: PatternRewriter) -> None:
        if _tell(op, (0, len(op.operands))):
            rewriter.notify_op_modified(op)


def _tell(op: Operation, places: tuple[int, int]) -> bool:
    """Put words in place of the tensors among some operands, and in their texts."""
    changed = False
    for place in range(*places):
        value = op.operands[place]
        if isinstance(value.type, VTensorType):
            op.operands[place] = _words(value, op)
            changed = True
        elif isinstance(text := value.owner, Operation) and _has_tensor(text):
            if (why := _cannot(text)) is not None:
                remark(text, "not told in words", why)
                continue
            changed |= _tell(text, _parts(text))
    return changed


def _words(value: SSAValue, anchor: Operation) -> SSAValue:
    assert isinstance(value.type, VTensorType)
    if value.type.is_single:
        return insert_value(anchor, InvokeOp(value, "item", []))
    return insert_constant(anchor, type_words(value.type))


def _parts(op: Operation) -> tuple[int, int]:
    """Which operands of an op go into the text that it makes; none: it makes none."""
    match op:
        case InvokeOp() if op.method.data == "format":
            is_text = isinstance(constant_value(op.receiver), str)
            return (1, len(op.operands)) if is_text else (0, 0)
        case CallOp() if constant_name(op.callee) in TEXT_OF:
            return 1, 2
        case _:
            return 0, 0


def _has_tensor(op: Operation) -> bool:
    given = [op.operands[place] for place in range(*_parts(op))]
    return any(
        isinstance(value.type, VTensorType)
        or (isinstance(value.owner, Operation) and _has_tensor(value.owner))
        for value in given
    )


def _cannot(op: Operation) -> str | None:
    """The reason to leave a text alone, or None."""
    if len(list(op.results[0].uses)) != 1:
        return "the text is used elsewhere"
    if not isinstance(op, InvokeOp):
        return None
    arguments: dict[int | None, SSAValue] = dict(enumerate(op.arguments))
    counter = iter(arguments)
    fields = string.Formatter().parse(str(constant_value(op.receiver)))
    for _, name, spec, kind in fields:
        if name is None:
            continue
        place = int(name) if name.isdigit() else None if name else next(counter, None)
        value = arguments.get(place)
        is_number = value is not None and not _has_several(value)
        if (spec or kind) and not is_number:
            return "its format is one of a number"
    return None


def _has_several(value: SSAValue) -> bool:
    return isinstance(value.type, VTensorType) and not value.type.is_single
