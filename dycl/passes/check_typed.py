"""`dycl-check-typed`: says in sentences what cannot be compiled, all of it at once.

Before                    After
------                    -----
%y = dycl.if %p -> (T) {  error[DY302]: one side of this `if` gives a float32 tensor
  dycl.yield %x             of shape (3, 4), the other a float32 tensor of shape ()
} else {
  dycl.yield %v
}
dycl.return %y

Needs:  the type phase has run; otherwise the sentences are about that.
Leaves: every tensor has a shape and a dtype, numbers have a kind, tensors are computed
        by `torch.aten` ops only; what a `while` carries keeps its type; no other loop,
        no update of an object or a list, no name that may be unbound, no
        `dycl.unsupported` is left.
Skips:  what is untyped only because it derives from something that is refused itself;
        a refusal that an unrolled loop repeats.
"""

from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import analyses_of, environment_of
from dycl.analysis.tensors.abstract import (
    VALUE,
    Bound,
    Scalar,
    Tensor,
    Unknown,
    is_container,
    leaves,
    name,
)
from dycl.analysis.tensors.plain_values import BUILD
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.diag import CompileErrors
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    ForOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    LocalCallOp,
    LocalFunctionOp,
    NodeType,
    RaiseOp,
    ReturnOp,
    ScopeOp,
    SequenceType,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TryOp,
    UnaryOp,
    UnboundOp,
    UnsupportedOp,
    WhileOp,
)
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionTerminator, forwarded_from
from dycl.ir.library import UNFOLLOWED_ITERATOR
from dycl.ir.torch import VTensorType
from dycl.ir.walking import walk
from dycl.passes.checks.findings import Findings
from dycl.passes.checks.meetings import PHASE, Meetings
from dycl.passes.expansion.remedies import OF_ITERATOR
from dycl.passes.roll_loops import why_unrolled
from dycl.passes.tries.raising import culprit
from dycl.prelude import NOT_COMPILED
from dycl.support.reasons import EAGER_RAISES, code_of

_PYTHON = (
    BinaryOp,
    CallOp,
    CompareOp,
    InplaceOp,
    InvokeOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
)
"""Ops that are Python's on numbers and have no business with tensors here."""

_CALL_IT = "call it, or hand what it holds to a function as arguments"
_STEP_BY_STEP = "write it with other torch operations on tensors of known shape"


@dataclass(frozen=True)
class CheckTypedPass(ModulePass):
    """Says in sentences what cannot be compiled, all of it at once."""

    name = "dycl-check-typed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change nothing. Raises CompileErrors with all refusals."""
        check_typed(ctx, op)


def check_typed(ctx: Context, op: ModuleOp) -> None:
    """What the pass does. Raises CompileErrors with all refusals."""
    entry = entry_function(op)
    if entry is None or not entry.body.blocks:
        return
    findings = Findings(analyses_of(ctx).get(infer, op), entry)
    check = _Check(findings, Meetings(findings), environment_of(ctx, op))
    for argument in entry.body.block.args:
        if argument.type == VALUE:
            what = f"the input `{argument.name_hint or argument.index}` has no type"
            findings.report(entry, "DY301", what, "give an example input for it")
            findings.refused.add(argument)
    check.block(entry.body.block)
    if not any(isinstance(o, ReturnOp) for o in walk(entry)):
        check.never_returns(entry)
    if errors := findings.errors or findings.derived:
        raise CompileErrors(list(errors.values()))


def _has_node(kind: Attribute) -> bool:
    while isinstance(kind, SequenceType):
        kind = kind.element
    return isinstance(kind, NodeType)


@dataclass
class _Check:
    found: Findings
    meetings: Meetings
    environment: Environment
    culprits: set[Operation] = field(default_factory=set[Operation])
    """What a `try` that is left is refused for."""

    def never_returns(self, entry: FuncOp) -> None:
        """A program that only raises is a mistake in the inputs, or in the program."""
        raised = [
            op
            for op in walk(entry)
            if isinstance(op, RaiseOp) and op.exception_name != NOT_COMPILED
        ]
        for op in raised:
            error = op.exception_name.rpartition(".")[2]
            what = "every run with inputs of these types raises"
            what += f" {error}" if len(raised) == 1 else f" something, some {error}"
            values = [self.found.inference.of(v) for v in op.values]
            if len(values) == 1 and isinstance(values[0], str):
                what += f": {values[0]}"
            self.found.report(op, "DY112", what, "give example inputs that it accepts")

    def block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Operation) -> None:
        if op in self.culprits:
            if not self.found.derives(op):
                self.found.report(op, *TryOp.REFUSAL)
            self.found.refused.update(op.results)
            return
        if isinstance(op, UnsupportedOp):
            # What eager would raise may come of what is not known before.
            may_derive = op.code.data == EAGER_RAISES and self.found.has_others()
            report = self.found.report_alone if may_derive else self.found.report
            report(op, op.code.data, op.what.data, op.help.data)
            self.found.refused.update(op.results)
            return
        if isinstance(op, RaiseOp) and op.exception_name == NOT_COMPILED:
            what, instead = (str(self.found.inference.of(v)) for v in op.values)
            report = self.found.report_of_path(op)
            report(op, "DY301", f"{what} is not compiled", instead)
            return
        if not _forwards(op) and not isinstance(op, WhileOp):
            self.found.read(op)
        if isinstance(op, ForOp):
            if not self.found.derives(op):
                items = name(self.found.inference.of(op.iterable))
                what = f"a `for` loop over {items} cannot be compiled"
                hint = (
                    "iterate over a list, a tuple or `range(n)`, or use a `while` loop"
                )
                self.found.report(op, "DY301", what, hint)
            self.found.refused.update(op.results)
            return
        if isinstance(op, WhileOp):
            if op.is_rolled and (why := why_unrolled(op)) is not None:
                hint = (
                    "go over a `range` and not over rows, or raise `max-unrolled` of "
                    "`dycl-roll-loops`"
                )
                self.found.report(op, "DY299", why, hint)
            self.meetings.of_while(op, self.block)
            return
        if isinstance(op, TryOp):
            self._try(op)
            return
        if isinstance(op, LocalFunctionOp):
            self.meetings.of_local_function(op, self.block)
            return
        if isinstance(op, LocalCallOp):
            self._local_call(op)
            return
        for region in op.regions:
            self.block(region.block)
        if isinstance(op, ScopeOp):
            self.found.refused.update(filter(self._is_left_with_refused, op.results))
        if isinstance(op, IfOp):
            self.meetings.of_if(op)
        elif isinstance(op, (SetattrOp, StoreSubscriptOp)):
            self._update(op)
        elif isinstance(op, ReturnOp):
            self._return(op)
        else:
            self._results(op)

    def _is_left_with_refused(self, result: SSAValue) -> bool:
        """Whether a way out of a scope gives a result what derives from a refusal."""
        return any(value in self.found.refused for value in forwarded_from(result))

    def _local_call(self, op: LocalCallOp) -> None:
        if self.found.derives(op):
            self.found.refused.update(op.results)
        for param, value in zip(op.function.params, op.arguments, strict=True):
            if VALUE in (param.type, value.type) and not self.found.derives(op):
                given = name(self.found.inference.of(value))
                what = f"a recursion that the data ends is given {given}"
                hint = "give it tensors and numbers, of the same kind in each call"
                self.found.report_alone(op, "DY301", what, hint)
        for result in op.results:
            if result.type == VALUE and result not in self.found.refused:
                what = "what this recursion gives is not a tensor or number"
                hint = "return tensors and numbers, or a tuple of them on all paths"
                self.found.report_alone(op, "DY301", what, hint)
                self.found.refused.add(result)

    def _try(self, op: TryOp) -> None:
        at = culprit(op, self.environment)
        if at is op:
            self.found.report(op, *op.REFUSAL)
        elif at is not None:
            self.culprits.add(at)
        for region in op.regions:
            self.block(region.block)
        self.found.refused.update(op.results)

    def _update(self, op: SetattrOp | StoreSubscriptOp) -> None:
        if self.found.derives(op):
            return
        if isinstance(op, SetattrOp):
            what = f"the attribute `{op.attribute.data}` is set while the network runs"
            hint = "keep it in a local variable, or return it"
        else:
            what = "an item of a tensor, list or dict is set in place"
            hint = "make a new one, for example by torch.where or torch.cat"
        self.found.report(op, "DY301", what, hint)

    def _return(self, op: ReturnOp) -> None:
        if any(_has_node(value.type) for value in op.values):
            what = "`forward` returns a node of a tree, or a list of nodes"
            hint = "return what it holds: its tensors, numbers and texts"
            self.found.report(op, "DY301", what, hint)
            return
        if op.structure is not None or self.found.derives(op) or not op.values:
            return
        if isinstance(op.prev_op, UnsupportedOp):
            return  # says what it is that cannot be returned
        abstract = self.found.inference.of(op.values[0])
        if any(isinstance(leaf, Unknown) for leaf in leaves(abstract)):
            what = "what `forward` returns here is not known"
            self.found.report(op, "DY301", what, _STEP_BY_STEP)
        else:
            what = "what `forward` returns here is not taken apart into tensors"
            self.found.report(op, "DY301", what, PHASE)

    def _results(self, op: Operation) -> None:
        outcome = self.found.inference.outcomes.get(op)
        if isinstance(op, UnboundOp) and op.variable.data:
            self.found.unbound[op.result] = (op.variable.data, None)
        if outcome is None or isinstance(op, (ConstantOp, UnboundOp)):
            return
        if self.found.derives(op):
            self.found.refused.update(op.results)
            return
        unknown = [
            isinstance(v, Unknown) and r.type == VALUE
            for v, r in zip(outcome.results, op.results, strict=True)
        ]
        if any(unknown) and _is_iterated(op) and not outcome.reason:
            return  # the loop says so
        if any(unknown):
            reasons = [v.reason for v in outcome.results if isinstance(v, Unknown)]
            reason = next(filter(None, [outcome.reason, *reasons]), "")
            what, help_ = reason or "what this gives is not known", _STEP_BY_STEP
            if reason == UNFOLLOWED_ITERATOR:
                help_ = OF_ITERATOR
            callee = self.found.inference.of(op.operands[0]) if op.operands else None
            if isinstance(op, CallOp) and isinstance(callee, (Tensor, Scalar)):
                what, help_ = (
                    f"{callee} cannot be called",
                    "call a module or a function",
                )
            self.found.report(op, code_of(what), what, help_)
            self.found.refused.update(op.results)
        elif any(map(_is_open, op.results)):
            what = "the shape of this tensor is not known completely"
            self.found.report(op, "DY301", what, _STEP_BY_STEP)
        elif isinstance(op, _PYTHON) and self._on_tensors(op):
            what, hint = _not_written(op, self.found.inference)
            # A tuple is still whole where what takes it apart was refused.
            is_tuple = isinstance(self.found.inference.of(op.results[0]), tuple)
            report = self.found.report_alone if is_tuple else self.found.report
            report(op, "DY301", what, hint)
            self.found.refused.update(op.results)

    def _on_tensors(self, op: Operation) -> bool:
        """Whether an op on tensors is used as such."""
        if isinstance(op, (*BUILD, SubscriptOp)) and is_container(
            self.found.inference.of(op.operands[0])
        ):
            return False
        types = [*op.operand_types, *op.result_types]
        return any(isinstance(t, VTensorType) for t in types) and any(
            r.uses for r in op.results
        )


def _forwards(op: Operation) -> bool:
    """Whether an op only hands values on: a name without a value may be among them."""
    target = op.target if isinstance(op, RegionTerminator) else None
    return target is not None and not isinstance(target, ScopeOp)


def _not_written(op: Operation, inference: Inference) -> tuple[str, str]:
    """What an op on tensors that is still Python's gives, and what to do."""
    given = inference.of(op.results[0])
    if isinstance(given, tuple):
        kind = "a tuple" if type(cast(object, given)) is tuple else "a named tuple"
        count = len(cast("tuple[object, ...]", given))
        what = f"{kind} of {count} tensors is used here as a whole"
        return what, "take it apart where it is made: `a, b = ...`, then use the parts"
    if isinstance(given, Bound):
        return "something else is done with this function than to call it", _CALL_IT
    return f"`{op.name}` works on tensors", PHASE


def _is_iterated(op: Operation) -> bool:
    """Whether a value is only what a `for` goes over."""
    uses = [u for r in op.results for u in r.uses]
    return bool(uses) and all(isinstance(u.operation, ForOp) for u in uses)


def _is_open(value: SSAValue) -> bool:
    tensor = value.type
    if not isinstance(tensor, VTensorType):
        return False
    return not tensor.is_fully_typed()
