"""`dycl-expand-modules`: calls of torch become `torch.aten` ops and parameters.

Before                    After
------                    -----
%y = dycl.call %relu(%x)  %y = torch.aten.relu %x : T -> T
%t = dycl.tuple(%y, %x)   dycl.return %y, %x
dycl.return %t

Needs:  normal form (`dycl-check-normal`), types (`dycl-infer-shapes`), and updates in
        place that are followed (`dycl-follow-writes`).
Leaves: tensors are computed by `torch.aten` ops only, read by `dycl.item` only; what
        `forward` returns is an attribute of `dycl.return`. What cannot be expanded, and
        a write that is seen elsewhere, is a `dycl.unsupported` with the reason, so that
        `dycl-check-typed` reports all of it at once.
Skips:  `for` loops, calls of the user's functions, and what derives from them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.dynamic_sizes.slices import Step
from dycl.analysis.manager import analyses_of
from dycl.analysis.memory.aliases import visible_writes
from dycl.analysis.memory.effects import host_effect
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
from dycl.analysis.tensors.failures import failure_of, stand_in
from dycl.analysis.tensors.plain_values import BUILD, TAKE_APART, makes_size
from dycl.analysis.tensors.reads import read_kind
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.analysis.tensors.structures import Known, Leaf, structures_of
from dycl.analysis.tracing.graph import Untraceable
from dycl.analysis.tracing.plain_numbers import with_plain_numbers
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
    FieldOp,
    ForOp,
    GetOp,
    HasAttributeOp,
    HasFieldOp,
    IdentityOp,
    InvokeOp,
    IsNodeOp,
    ItemOp,
    LaunchOp,
    LengthOp,
    ParamOp,
    RaiseOp,
    RefineOp,
    ReturnOp,
    SameNodeOp,
    SelectOp,
    SequenceOp,
    TakeOp,
    ToListOp,
    UnboundOp,
    UnsupportedOp,
    ViewOp,
)
from dycl.ir.arrays import ArrayConstant
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionBranchOp
from dycl.ir.rewriting import erase, insert_before, insert_constant, insert_value
from dycl.ir.torch import NoneT, TensorStaticInfoCastOp, TorchOp, VTensorType
from dycl.ir.values import (
    NotAConstant,
    ObjectRef,
    ParamRef,
    TensorConstant,
    from_attr,
    to_attr,
)
from dycl.passes.expansion import remedies
from dycl.passes.expansion.effects import Arguments, expand_effect, expand_text
from dycl.passes.expansion.emission import Emitter
from dycl.passes.expansion.jobs import Derived, Job
from dycl.passes.expansion.lists import expand_list
from dycl.passes.expansion.numbers import expand_number, expand_read
from dycl.passes.expansion.returns import expand_return
from dycl.passes.expansion.run_time_checks import (
    checked_sizes,
    fitting_numbers,
    indices_in_range,
)
from dycl.passes.expansion.sizes import emit_size
from dycl.passes.expansion.slices import emit_slices
from dycl.passes.expansion.values import Values
from dycl.passes.infer_shapes import add_casts
from dycl.support.reasons import UNKNOWN, WRITES, code_of

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
    TakeOp,
    LengthOp,
    GetOp,
    ConcatOp,
    ToListOp,
    CastOp,
    RefineOp,
    CheckedOp,
    DimOp,
    FieldOp,
    HasAttributeOp,
    HasFieldOp,
    IdentityOp,
    IsNodeOp,
    SameNodeOp,
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
        analyses = analyses_of(ctx)
        inference = analyses.get(infer, op)
        structures = analyses.ask(structures_of, op)
        writes = analyses.ask(visible_writes, op)
        # All is looked at before anything is changed.
        jobs = [Job.of(o, inference, structures) for o in _ops(entry.body.block)]
        values = Values(inference, structures, Emitter(entry.body.block))
        expander = _Expander(inference, values)
        for job in jobs:
            if (why := writes.get(job.op)) is not None:
                what = f"this changes a tensor that is {why}"
                values.refuse(job, WRITES, what, remedies.of_write(job.op, why))
            else:
                expander.expand(job)
        add_casts(op)


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
    values: Values

    def expand(self, job: Job) -> None:
        op, outcome = job.op, job.outcome
        if isinstance(op, ReturnOp):
            expand_return(op, job, self.values.of)
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
                self._unknown(job, outcome.reason)
        elif (
            isinstance(op, BUILD)
            or (isinstance(op, TAKE_APART) and is_container(job.operands[0]))
            or makes_size(op, job.operands)
        ):
            self.values.rename(job)
        elif job.asks_text:
            # All paths give the same text, by constants of their own: none was folded.
            (result,), (kind,) = outcome.results, op.result_types
            self.values.replace(job, [insert_constant(op, result, kind)])
        elif not job.is_known:
            try:
                self._compute(job)
            except Untraceable as error:
                why = error.reason
                self.values.refuse(job, code_of(why), why, remedies.of_operator(why))

    def _unknown(self, job: Job, why: str) -> None:
        """What an op gives is not known; maybe eager raises there, too."""
        if (record := stand_in(job.operands)) is not None:
            self.values.refuse(job, UNKNOWN, *remedies.of_stand_in(job.op, record))
            return
        environment = self.inference.environment
        fails = failure_of(job.op, job.operands, environment) is not None
        code, help_ = remedies.of_unknown(job.op, why, fails)
        self.values.refuse(job, code, why, help_)

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
                value = self.values.of(place, op)
                read = expand_read(op, value, tensor, kind, self.values.emitter)
                self.values.replace(job, [read])
            elif any(isinstance(o, ListOf) for o in job.operands):
                values = [self._operand(v, leaf, op) for v, leaf in job.pairs]
                self.values.replace(job, [expand_list(op, job.operands, values)])
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
        return value if isinstance(leaf, Known) else self.values.of(leaf, op)

    def _number(self, job: Job) -> None:
        values = [
            None if isinstance(leaf, Known) else self.values.of(leaf, job.op)
            for leaf in job.leaves
        ]
        new = expand_text(job.op, job.given, Arguments(job.op, self.values.of))
        if new is None:
            new = expand_number(job.op, job.operands, values)
        if new is not None:
            self.values.replace(job, [new])

    def _effect(self, op: CallOp | InvokeOp, job: Job) -> None:
        """A call for what it does; what it gives is None."""
        if job.is_derived:
            return
        try:
            new = expand_effect(op, job.given, Arguments(op, self.values.of))
        except Derived:
            return
        except Untraceable as error:
            why = error.reason
            self.values.refuse(job, code_of(why), why, remedies.of_text(why))
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
        make = Arguments(op, self.values.of)
        try:
            op.operands = [make.exact(item) for item in job.given]
        except Derived:
            return
        except Untraceable as error:
            why = error.reason
            refusal = UnsupportedOp(code_of(why), why, remedies.of_text(why))
            insert_before(op, refusal)
            op.operands = []

    def _tensors(self, job: Job) -> None:
        op = job.op
        environment = self.inference.environment
        given = with_plain_numbers(op, job.operands, environment)
        traced = trace(op, given, environment)
        if isinstance(traced, str):
            raise Untraceable(traced)
        params: dict[str, ParamRef] = {}
        callee = job.operands[0] if job.operands else None
        if isinstance(op, (CallOp, InvokeOp)) and isinstance(callee, ObjectRef):
            params = leaf_modules.parameters(self.inference.environment, callee.path)
        # Before anything is emitted: does all that is needed exist?
        for leaf, abstract in zip(job.leaves, job.abstract_leaves, strict=True):
            if isinstance(abstract, (Tensor, Scalar)):
                self.values.of(leaf, op)
        names = self.inference.input_names
        sizes = self.inference.sizes
        checked = checked_sizes(job, self.values.of, self.values.named, names, sizes)
        checked |= indices_in_range(job, traced, self.values.of)
        checked |= fitting_numbers(
            job, traced, lambda n: checked.get(n) or self.values.of(job.leaves[n], op)
        )
        results = self.values.emitter.trace(
            traced,
            op,
            lambda n: self._single(job, n, checked.get(n)),
            params,
        )
        self.values.replace(job, results)

    def _single(self, job: Job, number: int, checked: SSAValue | None) -> SSAValue:
        """A leaf of the operands; of one row where torch took it to have one."""
        assert job.outcome is not None
        value = checked or self.values.of(job.leaves[number], job.op)
        places = [place for place in job.outcome.single if place[0] == number]
        if not places:
            return value
        assert isinstance(value.type, VTensorType)
        sizes = list(value.type.sizes() or ())
        for _, dimension in places:
            sizes[dimension] = 1
        known = VTensorType.of(sizes, value.type.element_type())
        cast = TensorStaticInfoCastOp(value, known, location=job.op.location)
        return insert_value(job.op, cast)

    def _slice(self, job: Job, steps: list[Step]) -> None:
        tensor = job.operands[0]
        assert isinstance(tensor, Tensor)
        sliced = emit_slices(
            job.op,
            tensor,
            self.values.of(job.leaves[0], job.op),
            steps,
            lambda n: self.values.of(job.leaves[n], job.op),
            self.values.emitter,
        )
        self.values.replace(job, [sliced])

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
                return emit_size(leaf.size.text, op, self.values.named)
            return leaf

        self.values.replace(
            job, [map_leaves(tree, one) for tree in job.outcome.results]
        )

    def _constant(self, op: ConstantOp) -> None:
        try:
            constant = from_attr(op.value)
        except NotAConstant:
            return
        if isinstance(constant, TensorConstant):
            value = self.values.emitter.literal(constant, op)
        elif isinstance(constant, ArrayConstant) and constant.shape is None:
            number = ConstantOp(to_attr(constant.number), op.result.type)
            value = insert_value(op, number)
        elif isinstance(constant, ParamRef):
            value = self.values.emitter.param(constant, op.location)
        else:
            return
        value.name_hint = value.name_hint or op.result.name_hint
        self.values.become(op.result, value)
