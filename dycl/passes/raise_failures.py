"""`dycl-raise-failures`: an op that no run can do raises where a run gets to it.

Before                       After
------                       -----
dycl.if %p {                 dycl.if %p {
  %y = dycl.unary neg %none    %t = dycl.constant
  dycl.return %y                   "bad operand type for unary -: 'NoneType'"
}                              dycl.raise "builtins.TypeError"(%t)
dycl.return %p               }
                             dycl.return %p

A model may hold code that never fits its other parts: a path for another shape, or for
an attribute that is None. Eager raises if a run gets there, so that is what is left.
Or it holds a path that draws random numbers, which eager takes and a compiled network
cannot: there it raises NotImplementedError.

Needs:  types (`dycl-infer-shapes`), and that nothing else is left to find out.
Leaves: no op that surely fails inside what is undecided; nothing behind it.
Skips:  what every run gets to: that is refused, with what is wrong; what is inside a
        `try`, whose handlers see it; ops whose operands are not all known.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.folding.iteration import is_read_only
from dycl.analysis.manager import analyses_of
from dycl.analysis.tensors.abstract import Tensor, Unknown, kind_of, leaves
from dycl.analysis.tensors.failures import Failure, failure_of
from dycl.analysis.tensors.random_draws import draws
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.diag import remark
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    DictOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    RaiseOp,
    SubscriptOp,
    TryOp,
    TupleOp,
    UnaryOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.demand import is_sure_to_run
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import erase_from, insert_before, insert_constant
from dycl.ir.values import GlobalRef, ObjectRef
from dycl.ir.walking import walk

_ASKED = (*(BinaryOp, CallOp, CompareOp, InplaceOp, InvokeOp, SubscriptOp, UnaryOp),)


@dataclass(frozen=True)
class RaiseFailuresPass(ModulePass):
    """An op that no run can do raises where a run gets to it."""

    name = "dycl-raise-failures"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        asked = [o for o in walk(entry) if isinstance(o, _ASKED)]
        if not asked:
            return
        inference = analyses_of(ctx).get(infer, op)
        assumed = inference.assumed()
        for item in asked:
            is_assumed = not assumed.isdisjoint(item.operands)
            if item.parent is None or (is_assumed and not _has_none(item)):
                continue
            if (failure := _failure(item, inference)) is None:
                continue
            if is_assumed and _OF_NONE not in failure[1]:
                continue
            if (why := _cannot(item)) is not None:
                remark(item, "not left to the run", why)
                continue
            kind, text = failure
            remark(item, "left to the run", f"it raises {kind.split('.')[1]}: {text}")
            insert_before(item, RaiseOp(kind, [insert_constant(item, text)]))
            erase_from(item)


_OF_NONE = "NoneType"


def _has_none(op: Operation) -> bool:
    """Whether an op is given None, maybe in a tuple or list.

    What it raises is the same then, whatever a recursion gives for another operand.
    """
    parts = [v for one in op.operands for v in (one, *_items(one))]
    return any(constant_value(value) is None for value in parts)


def _items(value: SSAValue) -> Sequence[SSAValue]:
    owner = value.owner
    return owner.operands if isinstance(owner, (ListOp, TupleOp)) else ()


def _failure(op: Operation, inference: Inference) -> Failure | None:
    operands = [inference.of(value) for value in op.operands]
    if (drawn := draws(op, operands, inference.environment)) is not None:
        text = f"{drawn} draws random numbers, and a compiled network does not"
        return "builtins.NotImplementedError", text
    results = [leaf for r in op.results for leaf in leaves(inference.of(r))]
    if not any(isinstance(leaf, Unknown) and leaf.reason for leaf in results):
        return None
    if isinstance(op, CallOp) and not _is_of_torch(operands):
        return _of_one_number(op, operands)
    if not all(map(_is_fixed, op.operands)):
        return None
    return failure_of(op, operands, inference.environment)


def _of_one_number(op: CallOp, operands: list[object]) -> Failure | None:
    """What `min(*v, 5)` raises where `v` has no items."""
    match operands:
        case [GlobalRef("builtins.max" | "builtins.min"), one]:
            kind = None if op.keyword_names else kind_of(one)
            if kind in ("bool", "float", "int"):
                return "builtins.TypeError", f"'{kind}' object is not iterable"
        case _:
            pass
    return None


def _is_of_torch(operands: list[object]) -> bool:
    """Whether torch or a module of it is called, or something is asked of tensors."""
    match operands:
        case [GlobalRef(name), *_] if name.startswith("torch."):
            return True
        case [ObjectRef(), *_]:  # another's `forward` has been inlined
            return True
        case _:
            found = (leaf for tree in operands for leaf in leaves(tree))
            return any(isinstance(leaf, Tensor) for leaf in found)


def _is_fixed(value: SSAValue) -> bool:
    """Whether nothing changes the value, if it is a list or dict, before the op."""
    made = isinstance(value.owner, (DictOp, ListOp))
    if made or isinstance(constant_value(value), (dict, list)):
        return is_read_only(value)
    return True


def _cannot(op: Operation) -> str | None:
    """The reason to leave an op that fails alone, or None."""
    outer = op.parent_op()
    while outer is not None:
        if isinstance(outer, TryOp):
            return "it is inside a `try`"
        outer = outer.parent_op()
    return "every run gets here" if is_sure_to_run(op) else None
