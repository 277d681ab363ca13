"""`dycl-expand-modules`: calls of torch become `torch.aten` ops and parameters.

Before                               After
------                               -----
%fc = dycl.constant @fc              %w = dycl.param "fc.weight" : T
%y = dycl.call %fc(%x)               %b = dycl.param "fc.bias" : T
%f = dycl.invoke %y "item"()         %y = torch.aten.linear %x, %w, %b : ...
%t = dycl.tuple(%y, %f)              %f = dycl.item %y : (T) -> !torch.float
dycl.return %t                       dycl.return %y, %f {structure = #dycl.tuple<..>}

Needs:  normal form (`dycl-check-normal`), types (`dycl-infer-shapes`), and updates in
        place that are followed (`dycl-follow-writes`).
Leaves: tensors are computed by `torch.aten` ops only, read by `dycl.item` only; what
        `forward` returns is an attribute of `dycl.return`. What cannot be expanded, and
        a write that is seen elsewhere, is a `dycl.unsupported` with the reason, so that
        `dycl-check-typed` reports all of it at once.
Skips:  `for` loops, calls of the user's functions, and what derives from them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.memory.aliases import OVERLAPS, visible_writes
from dycl.analysis.memory.effects import host_effect
from dycl.analysis.open_sizes.size_names import PART
from dycl.analysis.open_sizes.slices import Step
from dycl.analysis.tensors import leaf_modules
from dycl.analysis.tensors.abstract import (
    Scalar,
    Tensor,
    Unknown,
    is_container,
    leaves,
    map_leaves,
)
from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.analysis.tensors.plain_values import BUILD, TAKE_APART
from dycl.analysis.tensors.reads import read_kind
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.analysis.tensors.structures import Known, Leaf, Structures
from dycl.analysis.tracing.graph import Untraceable
from dycl.analysis.tracing.trace import trace
from dycl.ir import (
    AppendOp,
    CallOp,
    CastOp,
    CheckedOp,
    ConcatOp,
    ConstantOp,
    DimOp,
    ExtendOp,
    ForOp,
    GetOp,
    InvokeOp,
    ItemOp,
    LaunchOp,
    LengthOp,
    ParamOp,
    RaiseOp,
    ReturnOp,
    SelectOp,
    SequenceOp,
    ToListOp,
    TruthOp,
    UnboundOp,
    UnsupportedOp,
    UpdateSubscriptOp,
    ViewOp,
)
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionBranchOp
from dycl.ir.rewriting import erase, insert_before
from dycl.ir.torch import NoneT, TorchOp, VTensorType
from dycl.ir.values import (
    NotAConstant,
    ObjectRef,
    ParamRef,
    TensorConstant,
    from_attr,
    to_attr,
)
from dycl.passes.expansion.effects import (
    Arguments,
    expand_effect,
    expand_text,
)
from dycl.passes.expansion.emission import Emitter
from dycl.passes.expansion.jobs import Derived, Job
from dycl.passes.expansion.lists import expand_list
from dycl.passes.expansion.numbers import expand_number, expand_read
from dycl.passes.expansion.returns import expand_return
from dycl.passes.expansion.run_time_checks import (
    UNKNOWN_SIZE,
    checked_sizes,
    indices_in_range,
)
from dycl.passes.expansion.sizes import emit_dim, emit_size
from dycl.passes.expansion.slices import emit_slices
from dycl.passes.infer_shapes import add_casts

_TYPED = (
    TorchOp,
    ParamOp,
    LaunchOp,
    ViewOp,
    UnsupportedOp,
    UnboundOp,
    SequenceOp,
    AppendOp,
    ExtendOp,
    LengthOp,
    GetOp,
    ConcatOp,
    ToListOp,
    CastOp,
    CheckedOp,
    DimOp,
)


@dataclass(frozen=True)
class ExpandModulesPass(ModulePass):
    """Calls of torch become torch.aten ops and parameters."""

    name = "dycl-expand-modules"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand the entry function; what cannot be is left as `dycl.unsupported`."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        inference = infer(op)
        structures = Structures(inference)
        writes = visible_writes(entry, inference, structures)
        # All is looked at before anything is changed.
        jobs = [Job.of(o, inference, structures) for o in _ops(entry.body.block)]
        expander = _Expander(inference, structures, Emitter(entry.body.block))
        for job in jobs:
            if (why := writes.get(job.op)) is not None:
                hint = _COPY if isinstance(job.op, UpdateSubscriptOp) else _OUT
                hint = _READ_COPY if why == OVERLAPS else hint
                expander.refuse(job, f"this changes a tensor that is {why}", hint)
            else:
                expander.expand(job)
        add_casts(op)


_OUT = "write the result to a new name: `y = x + 1` instead of `x += 1`"
_COPY = "store into a copy that has no other name or view: `y = y.clone()` before"
_READ_COPY = "read a copy: `y.add_(y[0].clone())`"
_ONE_TRUTH = "say what is asked: `.all()`, `.any()`, or one element of it"
_HELP = "write it with other torch operations, or move it out of the compiled network"
_OPERATOR = re.compile(r"torch op ([a-z]\w*)\.(\w+)(?:\.\w+)? has no lowering")


def _help(reason: str) -> str:
    """What to do: an op that torch knows can be given a lowering."""
    found = _OPERATOR.search(reason)
    if found is None:
        return _HELP
    return f'write how it is computed: @dycl.lowering("{found[1]}::{found[2]}")'


def _ops(block: Block) -> Iterator[Operation]:
    """The ops of a block, its branches and its loops in order."""
    for op in block.ops:
        yield op
        if isinstance(op, RegionBranchOp) and not isinstance(op, ForOp):
            for region in op.regions:
                yield from _ops(region.block)


@dataclass
class _Expander:
    inference: Inference
    structures: Structures
    emitter: Emitter
    now: dict[Leaf, SSAValue] = field(default_factory=dict[Leaf, SSAValue])
    """What leaves have become."""

    def expand(self, job: Job) -> None:
        op, outcome = job.op, job.outcome
        if isinstance(op, ReturnOp):
            expand_return(op, job, self.value)
        elif isinstance(op, RaiseOp):
            self._raise(op, job)
        elif isinstance(op, (CallOp, InvokeOp)) and host_effect(op, job.operands):
            self._effect(op, job)
        elif outcome is None or (isinstance(op, _TYPED) and not outcome.reason):
            return
        elif isinstance(op, ConstantOp):
            self._constant(op)
        elif any(isinstance(v, Unknown) for v in outcome.results):
            if outcome.reason:
                hint = _ONE_TRUTH if isinstance(job.op, TruthOp) else _HELP
                if _AS_TEXT in outcome.reason:
                    hint = _help_with_text(outcome.reason)
                self.refuse(job, outcome.reason, hint)
        elif isinstance(op, BUILD) or (
            isinstance(op, TAKE_APART) and is_container(job.operands[0])
        ):
            self._rename(job)
        elif not job.is_known:
            try:
                self._compute(job)
            except Untraceable as error:
                self.refuse(job, str(error), _help(str(error)))

    def value(self, leaf: Leaf, op: Operation) -> SSAValue:
        """The SSA value of a leaf, as an operand in front of `op`.

        Raises Derived when the leaf comes from what was refused.
        """
        if isinstance(leaf, Known):
            if isinstance(leaf.value, ParamRef):
                return self.emitter.param(leaf.value, op.location)
            if isinstance(leaf.value, TensorConstant):
                return self.emitter.literal(leaf.value, op)
            raise Derived
        found = self.now.get(leaf)
        if found is not None:
            return found
        if isinstance(leaf, SSAValue):
            return leaf
        raise Derived

    def _compute(self, job: Job) -> None:
        op = job.op
        if isinstance(op, SelectOp) and job.has_tensor:
            return  # the host chooses between tensors that are there
        try:
            if (kind := read_kind(op, job.operands)) is not None:
                if isinstance(op, ItemOp):
                    return
                tensor = next(x for x in job.operands if isinstance(x, Tensor))
                place = next(
                    leaf
                    for leaf, abstract in zip(
                        job.leaves, job.abstract_leaves, strict=True
                    )
                    if abstract is tensor
                )
                value = self.value(place, op)
                self._replace(job, [expand_read(op, value, tensor, kind, self.emitter)])
            elif any(isinstance(o, ListOf) for o in job.operands):
                values = [self._operand(v, leaf, op) for v, leaf in job.pairs]
                self._replace(job, [expand_list(op, job.operands, values)])
            elif (steps := job.slices) is not None:
                self._slice(job, steps)
            elif job.has_tensor and self._asks_for_sizes(job):
                self._sizes(job)
            elif not job.has_tensor:
                self._number(job)
            else:
                self._tensors(job)
        except Derived:
            return

    def _operand(self, value: SSAValue, leaf: Leaf, op: Operation) -> SSAValue:
        return value if isinstance(leaf, Known) else self.value(leaf, op)

    def _number(self, job: Job) -> None:
        values = [
            None if isinstance(leaf, Known) else self.value(leaf, job.op)
            for leaf in job.leaves
        ]
        new = expand_text(job.op, job.given, Arguments(job.op, self.value))
        if new is None:
            new = expand_number(job.op, job.operands, values)
        if new is not None:
            self._replace(job, [new])

    def _effect(self, op: CallOp | InvokeOp, job: Job) -> None:
        """A call for what it does; what it gives is None."""
        if job.is_derived:
            return
        try:
            new = expand_effect(op, job.given, Arguments(op, self.value))
        except Derived:
            return
        except Untraceable as error:
            self.refuse(job, str(error), _help_with_text(str(error)))
            return
        insert_before(op, new)
        if op.result.uses:
            none = ConstantOp(to_attr(None), NoneT)
            insert_before(op, none)
            op.result.replace_all_uses_with(none.result)
        erase(op)

    def _raise(self, op: RaiseOp, job: Job) -> None:
        """An exception takes numbers and texts."""
        if job.is_derived:
            return
        make = Arguments(op, self.value)
        try:
            op.operands = [make.exact(one) for one in job.given]
        except Derived:
            return
        except Untraceable as error:
            help_ = _help_with_text(str(error))
            refusal = UnsupportedOp("DY301", str(error), help_)
            insert_before(op, refusal)
            op.operands = []

    def _tensors(self, job: Job) -> None:
        op = job.op
        found = trace(op, job.operands, self.inference.world)
        if isinstance(found, str):
            raise Untraceable(found)
        params: dict[str, ParamRef] = {}
        callee = job.operands[0] if job.operands else None
        if isinstance(op, (CallOp, InvokeOp)) and isinstance(callee, ObjectRef):
            params = leaf_modules.parameters(self.inference.world, callee.path)
        # Before anything is emitted: does all that is needed exist?
        for leaf, abstract in zip(job.leaves, job.abstract_leaves, strict=True):
            if isinstance(abstract, (Tensor, Scalar)):
                self.value(leaf, op)
        checked = checked_sizes(job, self.value, self._named)
        checked |= indices_in_range(job, found, self.value)
        results = self.emitter.trace(
            found,
            op,
            lambda n: checked.get(n) or self.value(job.leaves[n], op),
            params,
        )
        self._replace(job, results)

    def _slice(self, job: Job, steps: list[Step]) -> None:
        tensor = job.operands[0]
        assert isinstance(tensor, Tensor)
        found = emit_slices(
            job.op,
            tensor,
            self.value(job.leaves[0], job.op),
            steps,
            lambda n: self.value(job.leaves[n], job.op),
            self.emitter,
        )
        self._replace(job, [found])

    def _asks_for_sizes(self, job: Job) -> bool:
        """Whether an op gives sizes of a tensor: `x.shape`, `x.size(1)`, `len(x)`."""
        assert job.outcome is not None
        given = [leaf for tree in job.outcome.results for leaf in leaves(tree)]
        sizes = [leaf for leaf in given if isinstance(leaf, Scalar)]
        return any(leaf.size is not None for leaf in sizes) and not any(
            isinstance(leaf, Tensor) for leaf in given
        )

    def _sizes(self, job: Job) -> None:
        assert job.outcome is not None
        op = job.op

        def one(leaf: object) -> object:
            if isinstance(leaf, Scalar) and leaf.size is not None:
                return emit_size(leaf.size.text, op, self._named)
            return leaf

        self._replace(job, [map_leaves(tree, one) for tree in job.outcome.results])

    def _named(self, name: str, op: Operation) -> SSAValue:
        """The int that a name in a size stands for, in front of `op`."""
        if name not in self.inference.sizes:
            raise Untraceable(UNKNOWN_SIZE)
        value, dimension = self.inference.sizes[name]
        place: Leaf = value
        if is_container(self.inference.of(value)):
            number, dimension = divmod(dimension, PART)
            place = self.structures.leaves(value)[number]
        try:
            now = self.value(place, op)
        except Derived:
            raise Untraceable(UNKNOWN_SIZE) from None
        if dimension < 0:
            return now
        if not isinstance(now.type, VTensorType):
            raise Untraceable(UNKNOWN_SIZE)
        return emit_dim(now, dimension, op)

    def _replace(self, job: Job, results: list[object]) -> None:
        """Give the op's users `results`: trees with SSA values; erase the op."""
        for result, structure, tree in zip(
            job.op.results, job.results, results, strict=True
        ):
            # A list that is changed later is not known, and has no parts here.
            if structure is result and not isinstance(tree, SSAValue):
                continue
            for leaf, value in zip(leaves(structure), leaves(tree), strict=True):
                if isinstance(value, SSAValue):
                    self.now[cast(Leaf, leaf)] = value
            if isinstance(tree, SSAValue):
                if result.name_hint is not None and tree.name_hint is None:
                    tree.name_hint = result.name_hint
                result.replace_all_uses_with(tree)
        if not any(result.uses for result in job.op.results):
            job.op.detach()
            job.op.erase()

    def _rename(self, job: Job) -> None:
        """A part of a structure is used by its own name."""
        for result, structure in zip(job.op.results, job.results, strict=True):
            if is_container(structure) or isinstance(structure, Known):
                continue
            try:
                value = self.value(cast(Leaf, structure), job.op)
            except Derived:
                continue
            if value is not result:
                self.now[result] = value
                result.replace_all_uses_with(value)

    def _constant(self, op: ConstantOp) -> None:
        try:
            constant = from_attr(op.value)
        except NotAConstant:
            return
        if isinstance(constant, TensorConstant):
            value = self.emitter.literal(constant, op)
        elif isinstance(constant, ParamRef):
            value = self.emitter.param(constant, op.location)
        else:
            return
        value.name_hint = value.name_hint or op.result.name_hint
        self.now[op.result] = value
        op.result.replace_all_uses_with(value)

    def refuse(self, job: Job, what: str, help_: str) -> None:
        """Put a `dycl.unsupported` in the op's place, of the same types."""
        op = job.op
        for result in op.results:
            refusal = UnsupportedOp.create(
                properties=UnsupportedOp("DY301", what, help_).properties,
                result_types=[result.type],
            )
            refusal.results[0].name_hint = result.name_hint
            insert_before(op, refusal)
            self.now[result] = refusal.results[0]
            result.replace_all_uses_with(refusal.results[0])
        erase(op)


_AS_TEXT = "as text"


def _help_with_text(reason: str) -> str:
    """What to do where a text, or a call that writes one, is not taken."""
    if _AS_TEXT in reason:
        return "write its numbers: `t.item()`, for example in an f-string"
    return "use `print`, a logger or `warnings.warn` with numbers and texts"
