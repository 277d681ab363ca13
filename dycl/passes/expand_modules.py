"""`dycl-expand-modules`: calls of torch become `torch.aten` ops and parameters.

Before                               After
------                               -----
%fc = dycl.constant @fc              %w = dycl.param "fc.weight" : T
%y = dycl.call %fc(%x)               %b = dycl.param "fc.bias" : T
%f = dycl.invoke %y "item"()         %y = torch.aten.linear %x, %w, %b : ...
%t = dycl.tuple(%y, %f)              %f = dycl.item %y : (T) -> !torch.float
dycl.return %t                       dycl.return %y, %f {structure = #dycl.tuple<..>}

Needs:  normal form (`dycl-check-normal`).
Leaves: tensors are computed by `torch.aten` ops only, read by `dycl.item` only; what
        `forward` returns is an attribute of `dycl.return`. Updates in place and stores
        by subscript are out-of-place. What cannot be expanded is a `dycl.unsupported`
        with the reason, so that `dycl-check-typed` reports all of it at once.
Skips:  `for` loops, calls of the user's functions, and what derives from them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis import leaf_modules
from dycl.analysis.abstract import (
    Scalar,
    Tensor,
    Unbound,
    Unknown,
    is_container,
    leaves,
    map_leaves,
)
from dycl.analysis.abstract import Sequence as ListOf
from dycl.analysis.aliases import OVERLAPS, USED_AFTERWARDS, visible_writes
from dycl.analysis.effects import host_effect
from dycl.analysis.graph import Input, Trace, Untraceable
from dycl.analysis.meaning import Outcome
from dycl.analysis.plain_values import BUILD, TAKE_APART
from dycl.analysis.reads import read_kind
from dycl.analysis.shapes import Inference, entry_function, infer
from dycl.analysis.size_names import PART
from dycl.analysis.slices import Step, plan
from dycl.analysis.structures import Known, Leaf, Structures
from dycl.analysis.trace import trace
from dycl.ir import (
    AppendOp,
    CallOp,
    CastOp,
    CheckedOp,
    ConcatOp,
    ConstantOp,
    DimOp,
    ExtendOp,
    GetOp,
    IfOp,
    InvokeOp,
    ItemOp,
    LaunchOp,
    LengthOp,
    ParamOp,
    RaiseOp,
    ReturnOp,
    ScopeOp,
    SelectOp,
    SequenceOp,
    SubscriptOp,
    ToListOp,
    TruthOp,
    UnboundOp,
    UnsupportedOp,
    UpdateSubscriptOp,
    ViewOp,
    WhileOp,
)
from dycl.ir.torch import NoneT, TorchOp, VTensorType
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    LeafRef,
    MethodRef,
    NotAConstant,
    ObjectRef,
    ParamRef,
    TensorConstant,
    from_attr,
    to_attr,
)
from dycl.ir.walking import walk
from dycl.passes._effects import (
    Arguments,
    Given,
    expand_effect,
    expand_text,
    insert_before,
)
from dycl.passes._emit import Emitter
from dycl.passes._lists import expand_list
from dycl.passes._number_tensors import expand_number_tensors
from dycl.passes._numbers import expand_number, expand_read
from dycl.passes._open_stores import expand_open_stores
from dycl.passes._sizes import emit_dim, emit_size
from dycl.passes._slices import emit_slices, in_range, narrowed
from dycl.passes._stores import give_stores_results, stores_of
from dycl.passes._view_names import name_parts
from dycl.passes._views import renew_views, sink_views, store_through_view
from dycl.passes._writes import carry_written, follow_writes
from dycl.passes.infer_shapes import InferShapesPass, add_casts

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
        InferShapesPass().apply(ctx, op)
        inference = infer(op)
        if stores := stores_of(entry):
            give_stores_results(stores, inference)
            inference = infer(op)
        in_place = any(outcome.written for outcome in inference.outcomes.values())
        if in_place and name_parts(walk(entry), inference):
            inference = infer(op)
        loops = [o for o in walk(entry) if isinstance(o, WhileOp)]
        if in_place and sink_views(loops, inference):
            inference = infer(op)
        for _ in range(_MOST_WRITES if in_place else 0):
            if not store_through_view(entry, inference):
                break
            inference = infer(op)
        loops = [o for o in walk(entry) if isinstance(o, WhileOp)]
        if carry_written(loops, inference):
            inference = infer(op)
        if follow_writes(inference):
            inference = infer(op)
        structures = Structures(inference)
        writes = visible_writes(entry, inference, structures)
        for _ in range(_MOST_WRITES):
            seen = [o for o, why in writes.items() if why == USED_AFTERWARDS]
            if not any(renew_views(o, inference) for o in seen):
                break
            inference = infer(op)
            if follow_writes(inference):
                inference = infer(op)
            structures = Structures(inference)
            writes = visible_writes(entry, inference, structures)
        stores = [o for o in walk(entry) if o not in writes]
        if expand_open_stores(stores, inference, structures):
            inference = infer(op)
            structures = Structures(inference)
        if expand_number_tensors(walk(entry), inference, structures):
            inference = infer(op)
            structures = Structures(inference)
        # All is looked at before anything is changed.
        jobs = [_Job.of(o, inference, structures) for o in _ops(entry.body.block)]
        expander = _Expander(inference, structures, Emitter(entry.body.block))
        for job in jobs:
            if (why := writes.get(job.op)) is not None:
                hint = _COPY if isinstance(job.op, UpdateSubscriptOp) else _OUT
                hint = _READ_COPY if why == OVERLAPS else hint
                expander.refuse(job, f"this changes a tensor that is {why}", hint)
            else:
                expander.expand(job)
        add_casts(op)


_UNKNOWN_SIZE = "a size here depends on the input in an unknown way"
_MOST_WRITES = 64
"""So many writes that views see are followed; more are refused."""
_OUT = "write the result to a new name: `y = x + 1` instead of `x += 1`"
_COPY = "store into a copy that has no other name or view: `y = y.clone()` before"
_READ_COPY = "read a copy: `y.add_(y[0].clone())`"
_ONE_TRUTH = "say what is asked: `.all()`, `.any()`, or one element of it"
_HELP = "write it with other torch operations, or move it out of the compiled network"


def _ops(block: Block) -> Iterator[Operation]:
    """The ops of a block, its branches and its loops in order."""
    for op in block.ops:
        yield op
        if isinstance(op, (IfOp, ScopeOp, WhileOp)):
            for region in op.regions:
                yield from _ops(region.block)


@dataclass
class _Job:
    """One op and what was known of it before the pass changed anything."""

    op: Operation
    operands: list[object]
    leaves: list[Leaf]
    outcome: Outcome | None
    results: list[object]
    """The structures of the results."""
    returned: object = None
    """The structure of a returned value."""

    @staticmethod
    def of(op: Operation, inference: Inference, structures: Structures) -> "_Job":
        return _Job(
            op,
            [inference.of(v) for v in op.operands],
            [leaf for v in op.operands for leaf in structures.leaves(v)],
            inference.outcomes.get(op),
            [structures.of(v) for v in op.results],
            structures.of(op.operands[0])
            if isinstance(op, ReturnOp) and len(op.operands) == 1
            else None,
        )

    @property
    def given(self) -> list[Given]:
        """The operands one by one, each with its leaves."""
        rest = iter(self.leaves)
        return [
            Given(known, [next(rest) for _ in leaves(known)]) for known in self.operands
        ]

    @property
    def is_derived(self) -> bool:
        """Whether an operand comes from what is refused itself."""
        return any(isinstance(leaf, (Unknown, Unbound)) for leaf in _leaves(self))

    @property
    def is_known(self) -> bool:
        """Whether nothing about the results depends on the input."""
        assert self.outcome is not None
        return not any(
            isinstance(leaf, (Tensor, Scalar, ListOf, Unknown, Unbound))
            for tree in self.outcome.results
            for leaf in leaves(tree)
        )

    @property
    def has_tensor(self) -> bool:
        """Whether an operand or a result is or holds a tensor."""
        assert self.outcome is not None
        return any(
            isinstance(leaf, (Tensor, ParamRef))
            for tree in (*self.operands, *self.outcome.results)
            for leaf in leaves(tree)
        )


@dataclass
class _Expander:
    inference: Inference
    structures: Structures
    emitter: Emitter
    now: dict[Leaf, SSAValue] = field(default_factory=dict[Leaf, SSAValue])
    """What leaves have become."""

    def expand(self, job: _Job) -> None:
        op, outcome = job.op, job.outcome
        if isinstance(op, ReturnOp):
            self._return(op, job)
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
                self.refuse(job, str(error), _HELP)

    def value(self, leaf: Leaf, op: Operation) -> SSAValue:
        """The SSA value of a leaf, as an operand in front of `op`.

        Raises _Derived when the leaf comes from what was refused.
        """
        if isinstance(leaf, Known):
            if isinstance(leaf.value, ParamRef):
                return self.emitter.param(leaf.value, op.location)
            if isinstance(leaf.value, TensorConstant):
                return self.emitter.literal(leaf.value, op)
            raise _Derived
        found = self.now.get(leaf)
        if found is not None:
            return found
        if isinstance(leaf, SSAValue):
            return leaf
        raise _Derived

    def _compute(self, job: _Job) -> None:
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
                    for leaf, abstract in zip(job.leaves, _leaves(job), strict=True)
                    if abstract is tensor
                )
                value = self.value(place, op)
                self._replace(job, [expand_read(op, value, tensor, kind, self.emitter)])
            elif any(isinstance(o, ListOf) for o in job.operands):
                values = [self._operand(v, leaf, op) for v, leaf in _pairs(job)]
                self._replace(job, [expand_list(op, job.operands, values)])
            elif (steps := _slices(job)) is not None:
                self._slice(job, steps)
            elif job.has_tensor and self._asks_for_sizes(job):
                self._sizes(job)
            elif not job.has_tensor:
                self._number(job)
            else:
                self._tensors(job)
        except _Derived:
            return

    def _operand(self, value: SSAValue, leaf: Leaf, op: Operation) -> SSAValue:
        return value if isinstance(leaf, Known) else self.value(leaf, op)

    def _number(self, job: _Job) -> None:
        values = [
            None if isinstance(leaf, Known) else self.value(leaf, job.op)
            for leaf in job.leaves
        ]
        new = expand_text(job.op, job.given, Arguments(job.op, self.value))
        if new is None:
            new = expand_number(job.op, job.operands, values)
        if new is not None:
            self._replace(job, [new])

    def _effect(self, op: CallOp | InvokeOp, job: _Job) -> None:
        """A call for what it does; what it gives is None."""
        if job.is_derived:
            return
        try:
            new = expand_effect(op, job.given, Arguments(op, self.value))
        except _Derived:
            return
        except Untraceable as error:
            self.refuse(job, str(error), _help_with_text(str(error)))
            return
        insert_before(new, op)
        if op.result.uses:
            none = ConstantOp(to_attr(None), NoneT)
            insert_before(none, op)
            op.result.replace_all_uses_with(none.result)
        op.detach()
        op.erase()

    def _raise(self, op: RaiseOp, job: _Job) -> None:
        """An exception takes numbers and texts."""
        if job.is_derived:
            return
        make = Arguments(op, self.value)
        try:
            op.operands = [make.exact(one) for one in job.given]
        except _Derived:
            return
        except Untraceable as error:
            help_ = _help_with_text(str(error))
            refusal = UnsupportedOp("DY301", str(error), help_)
            insert_before(refusal, op)
            op.operands = []

    def _tensors(self, job: _Job) -> None:
        op = job.op
        found = trace(op, job.operands, self.inference.world)
        if isinstance(found, str):
            raise Untraceable(found)
        params: dict[str, ParamRef] = {}
        callee = job.operands[0] if job.operands else None
        if isinstance(op, (CallOp, InvokeOp)) and isinstance(callee, ObjectRef):
            params = leaf_modules.parameters(self.inference.world, callee.path)
        # Before anything is emitted: does all that is needed exist?
        for leaf, abstract in zip(job.leaves, _leaves(job), strict=True):
            if isinstance(abstract, (Tensor, Scalar)):
                self.value(leaf, op)
        checked = self._checked(job) | self._in_range(job, found)
        results = self.emitter.trace(
            found,
            op,
            lambda n: checked.get(n) or self.value(job.leaves[n], op),
            params,
        )
        self._replace(job, results)

    def _in_range(self, job: _Job, found: Trace) -> dict[int, SSAValue]:
        """An index of `select` or `narrow`, by leaf: a kernel reads where it says."""
        op, given = job.op, _leaves(job)
        for node in found.nodes:
            places = [p.leaf for p in node.operands[1:] if isinstance(p, Input)]
            if not places or isinstance(given[places[0]], Tensor):
                continue
            if node.op in _SCATTERS:
                raise Untraceable(f"{node.op[6:]} at a number of the data's")
            if node.op not in ("torch.aten.select.int", "torch.aten.narrow"):
                continue
            source, dim, index = node.operands[0], node.operands[1], node.operands[2]
            tensor = given[source.leaf] if isinstance(source, Input) else None
            if not isinstance(tensor, Tensor) or not isinstance(index, Input):
                raise Untraceable(_UNKNOWN_SIZE)
            dim = cast(int, dim) % len(tensor.shape)
            size = tensor.shape[dim]
            if not isinstance(size, int):
                continue
            number = self.value(job.leaves[index.leaf], op)
            if node.op == "torch.aten.narrow":
                length = node.operands[3]
                if not isinstance(length, int):
                    continue
                return {index.leaf: narrowed(number, length, size, op)}
            error = "IndexError: select(): index {} out of range for tensor of size "
            error += f"{list(tensor.shape)} at dimension {dim}"
            return {index.leaf: in_range(number, size, number, error, op)}
        return {}

    def _slice(self, job: _Job, steps: list[Step]) -> None:
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

    def _asks_for_sizes(self, job: _Job) -> bool:
        """Whether an op gives sizes of a tensor: `x.shape`, `x.size(1)`, `len(x)`."""
        assert job.outcome is not None
        given = [leaf for tree in job.outcome.results for leaf in leaves(tree)]
        sizes = [leaf for leaf in given if isinstance(leaf, Scalar)]
        return any(leaf.size is not None for leaf in sizes) and not any(
            isinstance(leaf, Tensor) for leaf in given
        )

    def _sizes(self, job: _Job) -> None:
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
            raise Untraceable(_UNKNOWN_SIZE)
        value, dimension = self.inference.sizes[name]
        place: Leaf = value
        if is_container(self.inference.of(value)):
            number, dimension = divmod(dimension, PART)
            place = self.structures.leaves(value)[number]
        try:
            now = self.value(place, op)
        except _Derived:
            raise Untraceable(_UNKNOWN_SIZE) from None
        if dimension < 0:
            return now
        if not isinstance(now.type, VTensorType):
            raise Untraceable(_UNKNOWN_SIZE)
        return emit_dim(now, dimension, op)

    def _checked(self, job: _Job) -> dict[int, SSAValue]:
        """An operand of the op, by leaf, that is there only if the sizes fit."""
        assert job.outcome is not None
        op, requires = job.op, job.outcome.requires
        if not requires:
            return {}
        number, _ = next(
            (n, leaf)
            for n, leaf in enumerate(_leaves(job))
            if isinstance(leaf, (Tensor, Scalar))
        )
        value = self.value(job.leaves[number], op)
        for required in requires:
            condition = emit_size(required.relation, op, self._named)
            checked = CheckedOp(value, condition, required.message)
            insert_before(checked, op)
            value = checked.result
        return {number: value}

    def _replace(self, job: _Job, results: list[object]) -> None:
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

    def _rename(self, job: _Job) -> None:
        """A part of a structure is used by its own name."""
        for result, structure in zip(job.op.results, job.results, strict=True):
            if is_container(structure) or isinstance(structure, Known):
                continue
            try:
                value = self.value(cast(Leaf, structure), job.op)
            except _Derived:
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

    def _return(self, op: ReturnOp, job: _Job) -> None:
        if op.structure is not None or len(op.values) != 1:
            return
        values: list[SSAValue] = []

        def one(leaf: object) -> object:
            tensor = (ParamRef, TensorConstant)
            if isinstance(leaf, Known) and not isinstance(leaf.value, tensor):
                if not isinstance(leaf.value, _PLAIN):
                    raise NotAConstant(f"a {_kind(leaf.value)}")
                return leaf.value
            values.append(self.value(cast(Leaf, leaf), op))
            return LeafRef(len(values) - 1)

        if any(isinstance(leaf, (Unknown, Unbound)) for leaf in _leaves(job)):
            return
        try:
            structure: Attribute = to_attr(map_leaves(job.returned, one))
        except _Derived:
            return
        except NotAConstant as error:
            block = op.parent
            assert block is not None
            refusal = UnsupportedOp("DY301", f"`forward` returns {error}", _RETURN)
            refusal.location = op.location
            block.insert_op_before(refusal, op)
            return
        new = ReturnOp(values, structure)
        new.location = op.location
        block = op.parent
        assert block is not None
        block.insert_op_before(new, op)
        op.detach()
        op.erase()

    def refuse(self, job: _Job, what: str, help_: str) -> None:
        """Put a `dycl.unsupported` in the op's place, of the same types."""
        op = job.op
        block = op.parent
        assert block is not None
        for result in op.results:
            refusal = UnsupportedOp.create(
                properties=UnsupportedOp("DY301", what, help_).properties,
                result_types=[result.type],
            )
            refusal.location = op.location
            refusal.results[0].name_hint = result.name_hint
            block.insert_op_before(refusal, op)
            self.now[result] = refusal.results[0]
            result.replace_all_uses_with(refusal.results[0])
        op.detach()
        op.erase()


_SCATTERS = ("torch.aten.select_scatter", "torch.aten.slice_scatter")
_PLAIN = (bool, int, float, str, type(None))


def _kind(value: object) -> str:
    """What a value that `forward` cannot return is, in words."""
    match value:
        case ObjectRef():
            return "module or object of the model"
        case FunctionRef() | MethodRef():
            return "function"
        case GlobalRef(name):
            return f"`{name}`"
        case _:
            return "value that no host program can make"


_RETURN = "return tensors, numbers, strings, None, or tuples, lists and dicts of these"

_AS_TEXT = "as text"


def _help_with_text(reason: str) -> str:
    """What to do where a text, or a call that writes one, is not taken."""
    if _AS_TEXT in reason:
        return "write its numbers: `t.item()`, for example in an f-string"
    return "use `print`, a logger or `warnings.warn` with numbers and texts"


class _Derived(Exception):
    """The value comes from what was refused, or is not worked out."""


def _slices(job: _Job) -> list[Step] | None:
    """The steps of a subscript that the analysis has taken for one of open slices."""
    match job.op, job.operands:
        case SubscriptOp(), [Tensor() as tensor, index] if job.outcome is not None:
            is_open = job.outcome.attempt is None
            return plan(tensor, index) if is_open else None
        case _:
            return None


def _pairs(job: _Job) -> list[tuple[SSAValue, Leaf]]:
    """The operands of an op on plain values, each with its one leaf."""
    if len(job.leaves) != len(job.op.operands):
        raise Untraceable("this cannot be done with a list of unknown length")
    return list(zip(job.op.operands, job.leaves, strict=True))


def _leaves(job: _Job) -> list[object]:
    return [leaf for tree in job.operands for leaf in leaves(tree)]
