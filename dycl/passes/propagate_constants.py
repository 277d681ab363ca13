"""`dycl-propagate-constants`: replace what is known without the data by constants.

Before                           After
------                           -----
%i = dycl.binary add %one, %two  %y = dycl.call %f(%three, %false)
%c = dycl.compare lt %i, %two    dycl.return %y
%y = dycl.call %f(%i, %c)
dycl.return %y

Needs:  nothing; it knows more after `dycl-inline-calls` and `dycl-infer-shapes`.
Leaves: every value that is plain data, an object, a function or a small tensor on all
        paths is a constant; one that repeats or negates a predicate is that predicate.
Skips:  values that the run must compute; lists and dicts that something may change;
        what is read of a name that has no value on some path.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.folding.constants import Choice, Facts, Known, known_values
from dycl.analysis.folding.iteration import is_read_only
from dycl.analysis.manager import analyses_of
from dycl.ir import (
    BinaryOp,
    ConstantOp,
    InplaceOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
    UnboundOp,
)
from dycl.ir.functions import entry_function
from dycl.ir.records import Record
from dycl.ir.rewriting import insert_before, insert_constant_like, replace
from dycl.ir.torch import BoolT, FloatT, IntT, StrT
from dycl.ir.values import NotAConstant, to_attr
from dycl.ir.walking import walk
from dycl.passes.checks.unbound_constants import raising_reads


@dataclass(frozen=True)
class PropagateConstantsPass(ModulePass):
    """Replace what is known without the data by constants."""

    name = "dycl-propagate-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None:
            return
        analyses = analyses_of(ctx)
        if analyses.was_done(self, op):
            return
        facts = analyses.get(known_values, op)
        raising = analyses.get(raising_reads, op)
        changed = [
            _use_local_facts(inner, values) for inner, values in facts.at.items()
        ]
        rewriter = _Rewriter(facts)
        for inner in list(walk(entry)):
            if inner.parent is not None and inner not in raising:
                rewriter.rewrite(inner)
        if any(changed) or rewriter.now:
            analyses.note_done(self, op)


def _use_local_facts(op: Operation, values: dict[int, object]) -> bool:
    """Operands that only this branch knows become constants in front of the op.

    Whether there were any.
    """
    changed = False
    for index, value in values.items():
        attr = _attribute(value)
        operand = op.operands[index]
        if attr is not None and not isinstance(operand.owner, ConstantOp):
            op.operands[index] = insert_constant_like(op, attr, operand)
            changed = True
    return changed


class _Rewriter:
    """Replaces values in order; remembers what stands for a predicate by now."""

    def __init__(self, facts: Facts):
        self.facts = facts
        self.now: dict[SSAValue, SSAValue] = {}

    def rewrite(self, op: Operation) -> None:
        if isinstance(op, (ConstantOp, UnboundOp)) or not op.results:
            return
        if isinstance(op, ToBoolOp) and _is_bool(op.operand, self.facts):
            self.replace(op, [op.operand])
            return
        if isinstance(op, InplaceOp) and _is_scalar(op.lhs, self.facts):
            new = BinaryOp(op.kind_name, op.lhs, op.rhs, op.result.type)
            insert_before(op, new)
            self.replace(op, [new.result])
            return
        values = [self.replacement(op, r) for r in op.results]
        if all(v is None for v in values):
            return
        if not op.regions and all(v is not None for v in values):
            self.replace(op, [v for v in values if v is not None])
            return
        for result, value in zip(op.results, values, strict=True):
            if value is not None:
                result.replace_all_uses_with(value)
                self.now[result] = value

    def replace(self, op: Operation, values: list[SSAValue]) -> None:
        self.now.update(zip(op.results, values, strict=True))
        replace(op, values)

    def replacement(self, op: Operation, result: SSAValue) -> SSAValue | None:
        """The constant or predicate that a result is, or None."""
        if op.regions and not result.uses:
            return None
        fact = self.facts.of.get(result)
        if isinstance(fact, Known):
            attr = _attribute(fact.value)
            if attr is None or not _may_share(fact.value, result):
                return None
            return insert_constant_like(op, attr, result)
        if isinstance(fact, Choice):
            return self.predicate_again(op, result, fact)
        return None

    def predicate_again(
        self, op: Operation, result: SSAValue, fact: Choice
    ) -> SSAValue | None:
        """A value true where a predicate is (or is not) is that predicate."""
        predicate = fact.predicate
        while predicate in self.now:
            predicate = self.now[predicate]
        if isinstance(op, UnaryOp) and op.operand is predicate:
            return None
        if fact.if_true is True and fact.if_false is False:
            return None if result is predicate else predicate
        if fact.if_true is False and fact.if_false is True:
            negated = UnaryOp("not", predicate, result.type)
            insert_before(op, negated)
            return negated.result
        return None


def _attribute(value: object) -> Attribute | None:
    if isinstance(value, Record):
        return None  # the op that makes it says the same, and is easier to follow
    try:
        return to_attr(value)
    except NotAConstant:
        return None


def _may_share(value: object, result: SSAValue) -> bool:
    """Whether one constant may stand for a value that has an identity in Python."""
    return not isinstance(value, (list, dict)) or is_read_only(result)


def _is_bool(value: SSAValue, facts: Facts) -> bool:
    """Whether a value is True or False, whichever."""
    fact = facts.of.get(value)
    if isinstance(fact, Choice):
        return isinstance(fact.if_true, bool) and isinstance(fact.if_false, bool)
    owner = value.owner
    negation = isinstance(owner, UnaryOp) and owner.kind_name == "not"
    return value.type == BoolT or isinstance(owner, ToBoolOp) or negation


def _is_scalar(value: SSAValue, facts: Facts) -> bool:
    """Whether a value is a number, a string or a tuple: `a += b` is `a = a + b`."""
    if value.type in (IntT, FloatT, BoolT, StrT) or isinstance(value.owner, TupleOp):
        return True
    fact = facts.of.get(value)
    plain = (bool, int, float, str, tuple)
    if isinstance(fact, Known):
        return isinstance(fact.value, plain)
    if isinstance(fact, Choice):
        return isinstance(fact.if_true, plain) and isinstance(fact.if_false, plain)
    return False
