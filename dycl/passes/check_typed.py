"""`dycl-check-typed`: says in sentences what cannot be compiled, all of it at once.

Before                               After
------                               -----
any module                           the same module, or CompileErrors

Needs:  the type phase has run; otherwise the sentences are about that.
Leaves: every tensor has a shape and a dtype, numbers have a kind, tensors are computed
        by `torch.aten` ops only; no loop, no update of an object or a list, no name
        that may be unbound, no `dycl.unsupported` is left.
Skips:  what is untyped only because it derives from something that is refused itself;
        a refusal that an unrolled loop repeats.
"""

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.abstract import (
    VALUE,
    Unknown,
    is_container,
    leaves,
    name,
    type_of,
)
from dycl.analysis.shapes import BUILD, Inference, entry_function, infer
from dycl.diag import CompileError, CompileErrors, SourceLoc
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    ForOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ReturnOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    TruthOp,
    UnaryOp,
    UnboundOp,
    UnsupportedOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.torch import VTensorType
from dycl.ir.torch.types import DYNAMIC

_PYTHON = (
    BinaryOp,
    CallOp,
    CompareOp,
    InplaceOp,
    InvokeOp,
    SubscriptOp,
    TruthOp,
    UnaryOp,
)
"""Ops that are Python's on numbers and have no business with tensors here."""

_STEP_BY_STEP = "write it with other torch operations on tensors of known shape"
_PHASE = "run `dycl-expand-modules` first; it is in the phase `type`"


@dataclass(frozen=True)
class CheckTypedPass(ModulePass):
    """Says in sentences what cannot be compiled, all of it at once."""

    name = "dycl-check-typed"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change nothing. Raises CompileErrors with all refusals."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        check = _Check(infer(op))
        for argument in entry.body.block.args:
            if argument.type == VALUE:
                what = f"the input `{argument.name_hint or argument.index}` has no type"
                check.report(entry, "DY301", what, "give an example input for it")
                check.refused.add(argument)
        check.block(entry.body.block)
        if check.errors:
            raise CompileErrors(list(check.errors.values()))


@dataclass
class _Check:
    inference: Inference
    errors: dict[object, CompileError] = field(
        default_factory=dict[object, CompileError]
    )
    refused: set[SSAValue] = field(default_factory=set[SSAValue])
    """Values that are refused, or derive from one that is."""
    unbound: dict[SSAValue, tuple[str, SourceLoc | None]] = field(
        default_factory=dict[SSAValue, tuple[str, SourceLoc | None]]
    )
    """Names that have no value on some path, and the branch where that is so."""

    def report(
        self, op: Operation, code: str, what: str, hint: str, *notes: str
    ) -> None:
        """One error for one place and text."""
        place = SourceLoc.of(op)
        error = CompileError(code, what, place, notes, hint)
        self.errors.setdefault((code, what, place if place else op), error)

    def block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Operation) -> None:
        if isinstance(op, UnsupportedOp):
            self.report(op, op.code.data, op.what.data, op.help.data)
            self.refused.update(op.results)
            return
        if not isinstance(op, YieldOp):
            self._reads(op)
        if isinstance(op, (ForOp, WhileOp)):
            word = "for" if isinstance(op, ForOp) else "while"
            if not self._derives(op):
                what = f"a `{word}` loop whose length the input decides"
                hint = "loop a fixed number of times, with an `if` in the body"
                self.report(op, "DY301", f"{what} is not compiled yet", hint)
            self.refused.update(op.results)
            return
        for region in op.regions:
            self.block(region.block)
        if isinstance(op, IfOp):
            self._if(op)
        elif isinstance(op, (SetattrOp, StoreSubscriptOp)):
            self._update(op)
        elif isinstance(op, ReturnOp):
            self._return(op)
        else:
            self._results(op)

    def _derives(self, op: Operation) -> bool:
        return any(v in self.refused for v in op.operands)

    def _reads(self, op: Operation) -> None:
        for value in op.operands:
            if value not in self.unbound:
                continue
            variable, place = self.unbound[value]
            notes = [] if place is None else [f"a branch at {place} gives it none"]
            what = f"`{variable}` is read here, but may have no value"
            hint = f"give `{variable}` a value before, on every path"
            self.report(op, "DY303", what, hint, *notes)
            self.refused.update(op.results)

    def _update(self, op: SetattrOp | StoreSubscriptOp) -> None:
        if self._derives(op):
            return
        if isinstance(op, SetattrOp):
            what = f"the attribute `{op.attribute.data}` is set while the network runs"
            hint = "keep it in a local variable, or return it"
        else:
            what = "an item of a tensor, list or dict is set in place"
            hint = "make a new one, for example by torch.where or torch.cat"
        self.report(op, "DY301", what, hint)

    def _if(self, op: IfOp) -> None:
        ends = [region.block.last_op for region in op.regions]
        yields = [end for end in ends if isinstance(end, YieldOp)]
        for i, result in enumerate(op.results):
            given = [end.values[i] for end in yields]
            for value in given:
                if value in self.unbound:
                    variable, place = self.unbound[value]
                    self.unbound[result] = (variable, place or SourceLoc.of(op))
            if any(v in self.refused for v in given):
                self.refused.add(result)
            elif result.type == VALUE and result.uses:
                self.refused.add(result)
                self._join(op, given)

    def _join(self, op: IfOp, given: list[SSAValue]) -> None:
        known = [self.inference.of(value) for value in given]
        if any(isinstance(leaf, Unknown) for v in known for leaf in leaves(v)):
            return
        texts = [name(value) for value in known]
        if len(set(texts)) == 1:
            written = type_of(known[0]) == VALUE
            what = f"a branch gives {texts[0]}, which cannot be joined"
            if not written:
                what = f"a branch gives {texts[0]}, but its type is not written"
            hint = "return or store its parts one by one" if written else _PHASE
            self.report(op, "DY302", what, hint)
            return
        what = f"one side of this `if` gives {texts[0]}, the other {texts[-1]}"
        notes = [
            f"{text} comes from {place}"
            for text, value in zip(texts, given, strict=True)
            if (place := _place(value)) is not None
        ]
        hint = "give both sides the same shape, dtype and kind of value"
        self.report(op, "DY302", what, hint, *notes)

    def _return(self, op: ReturnOp) -> None:
        if op.structure is not None or self._derives(op) or not op.values:
            return
        if isinstance(op.prev_op, UnsupportedOp):
            return  # says what it is that cannot be returned
        abstract = self.inference.of(op.values[0])
        if any(isinstance(leaf, Unknown) for leaf in leaves(abstract)):
            what = "what `forward` returns here is not known"
            self.report(op, "DY301", what, _STEP_BY_STEP)
        else:
            what = "what `forward` returns here is not taken apart into tensors"
            self.report(op, "DY301", what, _PHASE)

    def _results(self, op: Operation) -> None:
        outcome = self.inference.outcomes.get(op)
        if isinstance(op, UnboundOp):
            self.unbound[op.result] = (op.variable.data, None)
        if outcome is None or isinstance(op, (ConstantOp, UnboundOp)):
            return
        if self._derives(op):
            self.refused.update(op.results)
            return
        unknown = [
            isinstance(v, Unknown) and r.type == VALUE
            for v, r in zip(outcome.results, op.results, strict=True)
        ]
        if any(unknown) and _is_iterated(op):
            return  # the loop says so
        if any(unknown):
            what = outcome.reason or "what this gives is not known"
            self.report(op, "DY301", what, _STEP_BY_STEP)
            self.refused.update(op.results)
        elif any(map(_is_open, op.results)):
            what = "the shape of this tensor is not known completely"
            self.report(op, "DY301", what, _STEP_BY_STEP)
        elif isinstance(op, _PYTHON) and self._on_tensors(op):
            self.report(op, "DY301", f"`{op.name}` works on tensors", _PHASE)
            self.refused.update(op.results)

    def _on_tensors(self, op: Operation) -> bool:
        """Whether an op on tensors is used as such."""
        if isinstance(op, (*BUILD, SubscriptOp)) and is_container(
            self.inference.of(op.operands[0])
        ):
            return False
        types = [*op.operand_types, *op.result_types]
        return any(isinstance(t, VTensorType) for t in types) and any(
            r.uses for r in op.results
        )


def _is_iterated(op: Operation) -> bool:
    """Whether a value is only what a `for` goes over."""
    uses = [u for r in op.results for u in r.uses]
    return bool(uses) and all(isinstance(u.operation, ForOp) for u in uses)


def _is_open(value: SSAValue) -> bool:
    found = value.type
    if not isinstance(found, VTensorType):
        return False
    return not found.is_fully_typed() or DYNAMIC in (found.sizes() or ())


def _place(value: SSAValue) -> SourceLoc | None:
    if isinstance(value.owner, Operation):
        return SourceLoc.of(value.owner)
    return SourceLoc.from_attr(getattr(value, "location", None) or VALUE)
