"""`dycl-check-typed`: says in sentences what cannot be compiled, all of it at once.

Before                               After
------                               -----
any module                           the same module, or CompileErrors

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
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.control.bindings import bound_reads
from dycl.analysis.tensors.abstract import (
    VALUE,
    Unknown,
    is_container,
    kind_of,
    leaves,
    name,
    type_of,
)
from dycl.analysis.tensors.plain_values import BUILD
from dycl.analysis.tensors.shapes import Inference, Mismatch, infer
from dycl.diag import CompileError, CompileErrors, SourceLoc
from dycl.ir import (
    BinaryOp,
    BreakOp,
    CallOp,
    CompareOp,
    ConditionOp,
    ConstantOp,
    ContinueOp,
    ForOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    RaiseOp,
    ReturnOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    TruthOp,
    TryOp,
    UnaryOp,
    UnboundOp,
    UnsupportedOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.functions import entry_function
from dycl.ir.known import known
from dycl.ir.torch import VTensorType
from dycl.ir.walking import walk

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

_HANDING_ON = (YieldOp, BreakOp, ConditionOp, ContinueOp)
"""Ops that hand values on: a name without a value may be among them."""

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
        check = _Check(infer(op), entry)
        for argument in entry.body.block.args:
            if argument.type == VALUE:
                what = f"the input `{argument.name_hint or argument.index}` has no type"
                check.report(entry, "DY301", what, "give an example input for it")
                check.refused.add(argument)
        check.block(entry.body.block)
        if not any(isinstance(o, ReturnOp) for o in walk(entry)):
            check.never_returns(entry)
        if check.errors:
            raise CompileErrors(list(check.errors.values()))


@dataclass
class _Check:
    inference: Inference
    entry: FuncOp
    errors: dict[object, CompileError] = field(
        default_factory=dict[object, CompileError]
    )
    refused: set[SSAValue] = field(default_factory=set[SSAValue])
    """Values that are refused, or derive from one that is."""
    unbound: dict[SSAValue, tuple[str, SourceLoc | None]] = field(
        default_factory=dict[SSAValue, tuple[str, SourceLoc | None]]
    )
    """Names that have no value on some path, and the branch where that is so."""
    bound: set[tuple[Operation, int]] | None = None
    """Reads of such names on paths that gave them one, once they are asked for."""

    def report(
        self, op: Operation, code: str, what: str, hint: str, *notes: str
    ) -> None:
        """One error for one place and text."""
        place = SourceLoc.of(op)
        error = CompileError(code, what, place, notes, hint)
        self.errors.setdefault((code, what, place if place else op), error)

    def never_returns(self, entry: FuncOp) -> None:
        """A program that only raises is a mistake in the inputs, or in the program."""
        for op in walk(entry):
            if isinstance(op, RaiseOp):
                error = op.exception_name.rpartition(".")[2]
                what = f"every run with inputs of these types raises {error}"
                values = [self.inference.of(v) for v in op.values]
                if len(values) == 1 and isinstance(values[0], str):
                    what += f": {values[0]}"
                self.report(op, "DY112", what, "give example inputs that it accepts")

    def block(self, block: Block) -> None:
        for op in block.ops:
            self._op(op)

    def _op(self, op: Operation) -> None:
        if isinstance(op, UnsupportedOp):
            self.report(op, op.code.data, op.what.data, op.help.data)
            self.refused.update(op.results)
            return
        if not isinstance(op, (*_HANDING_ON, WhileOp)):
            self._reads(op)
        if isinstance(op, ForOp):
            if not self._derives(op):
                items = name(self.inference.of(op.iterable))
                what = f"a `for` loop over {items} cannot be compiled"
                hint = "go over a list, a tuple or `range(n)`, or use a `while` loop"
                self.report(op, "DY301", what, hint)
            self.refused.update(op.results)
            return
        if isinstance(op, WhileOp):
            self._while(op)
            return
        if isinstance(op, TryOp):
            self._try(op)
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

    def _try(self, op: TryOp) -> None:
        self.report(op, *op.REFUSAL)
        for region in op.regions:
            self.block(region.block)
        self.refused.update(op.results)

    def _derives(self, op: Operation) -> bool:
        return any(v in self.refused for v in op.operands)

    def _while(self, op: WhileOp) -> None:
        mismatches = self.inference.mismatches.get(op, {})
        before, body = op.before.block, op.body.block
        for i, value in enumerate(op.initial):
            name = op.results[i].name_hint or before.args[i].name_hint or "a value"
            if value in self.unbound:
                self.unbound[before.args[i]] = (name, SourceLoc.of(op))
            if value in self.refused or i in mismatches:
                self.refused.update((before.args[i], body.args[i], op.results[i]))
            if i in mismatches:
                self._mismatch(op, name, mismatches[i])
        self.block(before)
        if known(op.condition.condition) is True:
            given: list[list[SSAValue]] = []
        else:
            given = [list(op.condition.values)]
        for _ in range(2):
            for i, value in enumerate(op.condition.values):
                if value in self.unbound:
                    self.unbound[body.args[i]] = self.unbound[value]
            self.block(body)
            if not self._unbound_by_iteration(op):
                break
            self.block(before)
        given += [list(end.forwarded) for end in op.breaks]
        carried = zip(*(end.forwarded for end in op.back_edges), strict=True)
        for i, values in enumerate(carried):
            if any(v in self.refused for v in values):
                self.refused.add(op.results[i])
        for i, result in enumerate(op.results):
            self._leaves_loop(op, result, [values[i] for values in given])

    def _unbound_by_iteration(self, op: WhileOp) -> bool:
        """Whether names that the loop starts with have no value after an iteration."""
        found = [
            (argument, self.unbound[value])
            for end in op.back_edges
            for argument, value in zip(op.before.block.args, end.forwarded, strict=True)
            if value in self.unbound and argument not in self.unbound
        ]
        self.unbound.update(found)
        return bool(found)

    def _leaves_loop(
        self, op: WhileOp, result: SSAValue, given: list[SSAValue]
    ) -> None:
        for value in given:
            if value in self.unbound:
                self.unbound[result] = self.unbound[value]
        if any(v in self.refused for v in given):
            self.refused.add(result)
        elif result.type == VALUE and result.uses and result not in self.refused:
            self.refused.add(result)
            self._join(op, "way out of this loop", given)

    def _mismatch(self, op: WhileOp, variable: str, found: Mismatch) -> None:
        first, then = name(found.first), name(found.then)
        if found.given is None:
            what = f"this loop gives `{variable}` new values, but one is {first}"
            hint = "a loop can hand on tensors and numbers: start with one"
            self.report(op, "DY304", what, hint)
            return
        what = f"`{variable}` starts as {first}, but an iteration makes it {then}"
        hint = "let every iteration give the shape, dtype and kind that it starts with"
        if first == then == "a tuple":
            what = f"`{variable}` is a tuple, and an iteration makes it another one"
            hint = f"a list may grow: `{variable} = []`, and `{variable}.append(...)`"
            then = "the other one"
        if kind_of(found.first) == "int" and kind_of(found.then) == "float":
            hint = f"start with a float: `{variable} = 0.0` instead of `{variable} = 0`"
        place = _place(found.given)
        notes = [] if place is None else [f"{then} comes from {place}"]
        self.report(op, "DY304", what, hint, *notes)

    def _is_bound(self, op: Operation, index: int) -> bool:
        """Whether the branch that gave a name its value was surely taken."""
        if self.bound is None:
            world = self.inference.world
            self.bound = bound_reads(self.entry.body.block, world)
        return (op, index) in self.bound

    def _reads(self, op: Operation) -> None:
        for index, value in enumerate(op.operands):
            if value not in self.unbound or self._is_bound(op, index):
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
                self._join(op, "side of this `if`", given)

    def _join(self, op: Operation, way: str, given: list[SSAValue]) -> None:
        found = [self.inference.of(value) for value in given]
        if not found or any(
            isinstance(leaf, Unknown) for v in found for leaf in leaves(v)
        ):
            return
        texts = [name(value) for value in found]
        if len(set(texts)) == 1:
            written = type_of(found[0]) == VALUE
            what = f"one {way} gives {texts[0]}, which cannot be joined"
            if not written:
                what = f"one {way} gives {texts[0]}, but its type is not written"
            hint = "return or store its parts one by one" if written else _PHASE
            self.report(op, "DY302", what, hint)
            return
        other = next(text for text in texts if text != texts[0])
        what = f"one {way} gives {texts[0]}, the other {other}"
        notes = [
            f"{text} comes from {place}"
            for text, value in zip(texts, given, strict=True)
            if (place := _place(value)) is not None
        ]
        hint = "give all of them the same shape, dtype and kind of value"
        if isinstance(op, IfOp):
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
        if any(unknown) and _is_iterated(op) and not outcome.reason:
            return  # the loop says so
        if any(unknown):
            what = outcome.reason or "what this gives is not known"
            self.report(op, "DY301", what, _STEP_BY_STEP)
            self.refused.update(op.results)
        elif any(map(_is_open, op.results)):
            what = "the shape of this tensor is not known completely"
            self.report(op, "DY301", what, _STEP_BY_STEP)
        elif isinstance(op, _PYTHON) and self._on_tensors(op):
            what, hint = _not_written(op, self.inference)
            self.report(op, "DY301", what, hint)
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


def _not_written(op: Operation, inference: Inference) -> tuple[str, str]:
    """What an op on tensors that is still Python's gives, and what to do."""
    given = inference.of(op.results[0])
    if isinstance(given, tuple):
        kind = "a tuple" if type(cast(object, given)) is tuple else "a named tuple"
        count = len(cast("tuple[object, ...]", given))
        what = f"{kind} of {count} tensors is used here as a whole"
        return what, "take it apart where it is made: `a, b = ...`, then use the parts"
    return f"`{op.name}` works on tensors", _PHASE


def _is_iterated(op: Operation) -> bool:
    """Whether a value is only what a `for` goes over."""
    uses = [u for r in op.results for u in r.uses]
    return bool(uses) and all(isinstance(u.operation, ForOp) for u in uses)


def _is_open(value: SSAValue) -> bool:
    found = value.type
    if not isinstance(found, VTensorType):
        return False
    return not found.is_fully_typed()


def _place(value: SSAValue) -> SourceLoc | None:
    if isinstance(value.owner, Operation):
        return SourceLoc.of(value.owner)
    return SourceLoc.from_attr(getattr(value, "location", None) or VALUE)
