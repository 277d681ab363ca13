"""Shapes, dtypes and kinds: one walk forward over the entry function.

`infer(module)` gives an abstract value for every SSA value of the entry function, and
changes nothing. It never raises for what it cannot know: a `for`, calls of the user's
functions and what derives from them are `Unknown`. It runs on any level, in time linear
in the number of ops, for a given depth of loops.

A `while` is walked to a fixed point: what it carries starts with the shape, dtype and
kind of its first value (never with the value: a counter is an int, not 0), and an
iteration must give the same again. Until the body is known, that is assumed, so a body
may use `x.shape`; by induction it holds, or `dycl-check-typed` refuses a `Mismatch`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.memory.effects import host_effect
from dycl.analysis.tensors import sequences
from dycl.analysis.tensors.abstract import (
    VALUE,
    Dim,
    Node,
    Pending,
    Scalar,
    Tensor,
    Unbound,
    Unjoined,
    Unknown,
    dynamic_sizes,
    leaves,
)
from dycl.analysis.tensors.carried import any_iteration, holds_list, is_carried
from dycl.analysis.tensors.changed_lists import ChangedLists, may_change_lists
from dycl.analysis.tensors.local_calls import LocalCalls, of_pending
from dycl.analysis.tensors.memo import note_settings
from dycl.analysis.tensors.outcomes import Outcome, unknown
from dycl.analysis.tensors.plain_values import (
    BUILD,
    arithmetic_on_sizes,
    asks_for_gradients,
    called_on_numbers,
    constant,
    recorded,
    settled_by_ranges,
    sizes_said,
    structural,
)
from dycl.analysis.tensors.reads import cannot_read, read_kind
from dycl.analysis.tensors.refused import NO_NODE
from dycl.analysis.tensors.tensor_outcomes import tensor_outcome
from dycl.ir import (
    BinaryOp,
    BuiltinOp,
    CallOp,
    CastOp,
    CheckedOp,
    CompareOp,
    ConcatOp,
    ConstantOp,
    DimOp,
    ForOp,
    GetattrOp,
    GetOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    LaunchOp,
    LengthOp,
    LocalCallOp,
    LocalFunctionOp,
    LocalReturnOp,
    ParamOp,
    PositionOp,
    SelectOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    ToListOp,
    UnaryOp,
    UnboundOp,
    UnsupportedOp,
    ViewOp,
    WhileOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.dialect.nodes import NODE_OPS
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator
from dycl.ir.new_tensors import reshaped_later
from dycl.ir.torch import TorchOp
from dycl.ir.values import ObjectRef
from dycl.ir.walking import ops_in, walk

_HOLD = (*BUILD, SelectOp)
_TYPED = (
    *(TorchOp, ParamOp, LaunchOp, ViewOp, BuiltinOp, LengthOp, GetOp, ConcatOp),
    *(ToListOp, DimOp, *NODE_OPS),
)

ASKS_NODE = (
    *(BinaryOp, CallOp, CompareOp, GetattrOp, InplaceOp, InvokeOp),
    *(SubscriptOp, ToBoolOp, UnaryOp),
)
"""What a node of a tree may be asked, which `dycl-match-nodes` answers or refuses."""
_RESHAPES = "gives this tensor another shape, and who else has it is not known"


def infer(module: ModuleOp) -> "Inference":
    """What is known of every value of the entry function (nothing without one)."""
    note_settings()
    inference = Inference(Environment(module))
    entry = entry_function(module)
    if entry is not None and entry.body.blocks:
        inference.reshaped = reshaped_later(entry)
        inference.name_inputs(entry)
        inference.walk(entry.body.block)
    return inference


@dataclass(frozen=True)
class Mismatch:
    """A carried value that an iteration changes to one of another kind."""

    first: object
    then: object = None
    given: SSAValue | None = None
    """What the iteration gives; None: the first value is of no kind that can stay."""


_MOST_WALKS = 8
"""A carried value goes through few states; a loop that needs more is not known."""


class Inference(LocalCalls):
    """The abstract values of one function, and the outcome of each value op."""

    def __init__(self, environment: Environment):
        super().__init__()
        self.environment = environment
        self.values: dict[SSAValue, object] = {}
        self.outcomes: dict[Operation, Outcome] = {}
        self.mismatches: dict[WhileOp, dict[int, Mismatch]] = {}
        self.widened: dict[WhileOp, set[int]] = {}
        """Carried values that start with sizes which the iterations then change."""
        self.unsettled: dict[WhileOp, set[int]] = {}
        """Carried values of which it is not known yet what an iteration gives."""
        self.settled: set[Operation] = set()
        """Every `if` and scope that has an end which no run comes to."""
        self.reshaped: dict[SSAValue, str] = {}
        self._changed = ChangedLists()
        self._given: dict[Operation | None, list[list[object]]] = {}
        """What the terminators so far give the ops around the walk."""

    def of(self, value: SSAValue) -> object:
        """The abstract value of an SSA value."""
        result = self.values.get(value)
        if result is None and value not in self.values:
            return self.typed(value)
        return Unknown() if self._changed.hold(result) else result

    def walk(self, block: Block) -> None:
        """Work out the ops of a block, and of the regions inside, in order."""
        for op in ops_in(block):
            if type(op) is ConstantOp:  # which most ops are
                value = constant(op)
                self.outcomes[op] = Outcome((value,))
                self.values[op.result] = self._or_by_type(value, op.result)
            elif not op.results or op.regions or type(op) is LocalCallOp:
                self._visit(op)
            else:
                self._visit_value(op)

    def _visit(self, op: Operation) -> None:
        match op:
            case WhileOp():
                self._visit_while(op)
            case ForOp():
                self._visit_opaque(op)
            case LocalFunctionOp():
                pass  # walked with what its calls give it
            case LocalCallOp():
                self.visit_local_call(op)
            case LocalReturnOp():
                self.visit_local_return(op)
            case RegionBranchOp():
                self._visit_branch(op)
            case RegionTerminator():
                if (given := self._given.get(op.target)) is not None:
                    given.append([self.of(v) for v in op.forwarded])
            case StoreSubscriptOp() | SetattrOp():
                self._change(op.operands)
            case _:
                pass

    def _visit_value(self, op: Operation) -> None:
        operands = [self.of(v) for v in op.operands]
        outcome = self.with_names(op, self._outcome(op, operands))
        if any(isinstance(value, Pending) for value in outcome.results):
            self._reads_nothing = True
        elif self.is_pending(operands) and not isinstance(op, BUILD):
            outcome = Outcome((of_pending(op, operands),) * len(op.results))
        self.outcomes[op] = outcome
        for result, value in zip(op.results, outcome.results, strict=True):
            if type(value) is Scalar and value == Scalar("int"):
                value = arithmetic_on_sizes(op, operands) or value
            self.values[result] = self._or_by_type(value, result)
            if (method := self.reshaped.get(result)) is not None:
                self.outcomes[op] = unknown(op, f"`{method}` {_RESHAPES}")
                self.values[result] = self.outcomes[op].results[0]

    def _outcome(self, op: Operation, operands: list[object]) -> Outcome:
        match op:
            case UnboundOp():
                return Outcome((Unbound(op.variable.data),))
            case UnsupportedOp():
                return unknown(op)
            case PositionOp() if isinstance(operands[0], (Scalar, str)):
                return Outcome((Scalar("int"),))
            case GetattrOp() if asks_for_gradients(op, operands[0]):
                return unknown(op, "whether a parameter has gradients is not known")
            case DimOp() if isinstance(tensor := operands[0], Tensor):
                size = tensor.shape[op.dimension]
                return Outcome(
                    (Scalar("int", size) if isinstance(size, Dim) else size,)
                )
            case _ if isinstance(op, _TYPED):
                return Outcome(tuple(self.typed(r) for r in op.results))
            case _:
                pass
        operands = [Unknown() if isinstance(o, Unbound) else o for o in operands]
        if host_effect(op, operands) is not None:
            return Outcome((None,))
        if isinstance(op, ASKS_NODE) and any(isinstance(o, Node) for o in operands):
            return unknown(op, NO_NODE)
        if isinstance(op, (CastOp, CheckedOp)):
            return Outcome((operands[0],), frozenset({(0, 0)}))
        if (said := sizes_said(op, operands)) is not None:
            return Outcome((said,))
        if sequences.is_sequence_op(op, operands) and not isinstance(op, _HOLD):
            return sequences.outcome(op, operands, lambda d: self.dim(op.results[0], d))
        if (settled := settled_by_ranges(op, operands)) is not None:
            return Outcome((settled,))
        if (kind := read_kind(op, operands)) is not None:
            if (why := cannot_read(op, operands)) is not None:
                return unknown(op, why)
            return Outcome((Scalar(kind),))
        if (number := called_on_numbers(op, operands)) is not None:
            return Outcome((number,))
        if (outcome := structural(op, operands, self.environment)) is not None:
            return outcome
        if isinstance(op, GetattrOp) and isinstance(operands[0], ObjectRef):
            return recorded(op, operands[0], self.environment)
        if may_change_lists(op, operands, self.environment):
            self._change(op.operands)
            return unknown(op)
        return tensor_outcome(
            op, operands, self.environment, lambda d: self.dim(op.results[0], d)
        )

    def _visit_branch(self, op: RegionBranchOp) -> None:
        """What the terminators of regions that are not loops give, joined."""
        given = self._given[op] = []
        # A test of a shape is settled at once: what follows may be another test.
        taken = self.of(op.condition) if isinstance(op, IfOp) else None
        for number, region in enumerate(op.regions):
            if not isinstance(taken, bool) or taken == (number == 0):
                self.walk(region.block)
            else:
                self._visit_unreached(op, region.block)
        del self._given[op]
        self._set_joined(op, given)

    def _visit_unreached(self, op: Operation, block: Block) -> None:
        """Work out a block, and forget what it gives: no run comes to its end."""
        counts = [(around, len(given)) for around, given in self._given.items()]
        self.walk(block)
        self.settled.add(op)
        for around, count in counts:
            given = self._given[around]
            if len(given) > count and around is not None:
                self.settled.add(around)
                del given[count:]

    def _set_joined(self, op: Operation, given: list[list[object]]) -> None:
        """Give `op` the values that all paths to its end agree on."""
        values: list[object] = []
        for i in range(len(op.results)):
            value: object = given[0][i] if given else Unknown()
            for other in given[1:]:
                value = self.join(
                    value, other[i], op.results[i], isinstance(op, WhileOp)
                )
            values.append(self.or_pending(value, [end[i] for end in given]))
        inside = [region.block for region in op.regions]
        self._bind(op.results, self.exported(values, op.results, inside))

    def _bind(self, names: Sequence[SSAValue], values: Sequence[object]) -> None:
        """Give SSA values their abstract values, or what their types say."""
        for name, value in zip(names, values, strict=True):
            self.values[name] = self._or_by_type(value, name)

    def _or_by_type(self, value: object, named: SSAValue) -> object:
        """The value; if it is not known, what a type that is written already says."""
        if _is_settled(value) or named.type == VALUE:
            return self.named(value, named)
        result = self.typed(named)
        return value if isinstance(result, Unknown) else result

    def _visit_while(self, op: WhileOp) -> None:
        self.mismatches.pop(op, None)
        self.unsettled.pop(op, None)
        carried = [self._at_start(op, i, self.of(v)) for i, v in enumerate(op.initial)]
        open_scopes = [(given, len(given)) for given in self._given.values()]
        inner = set(walk(op))
        for number in range(_MOST_WALKS):
            self.settled -= inner
            for given, count in open_scopes:
                del given[count:]
            self._bind(op.before.block.args, carried)
            self.walk(op.before.block)
            entered = [self.of(v) for v in op.condition.values]
            names = op.body.block.args
            self._bind(names, self.exported(entered, names, [op.before.block]))
            self.walk(op.body.block)
            after = [self._next(op, i, value) for i, value in enumerate(carried)]
            # A list that the first walk finds changed is so from its start.
            if after == carried and number > 0:
                break
            carried = after
        self.widened[op] = {
            index
            for index, initial in enumerate(op.initial)
            if dynamic_sizes(carried[index]) and not dynamic_sizes(self.of(initial))
        }
        ends = [list(end.forwarded) for end in op.breaks]
        if not ends or constant_value(op.condition.condition) is not True:
            ends.append(list(op.condition.values))
        self._set_joined(op, [[self.of(v) for v in end] for end in ends])

    def _at_start(self, op: WhileOp, index: int, value: object) -> object:
        """What a carried value is in any iteration, if the first one is typical."""
        if not all(map(is_carried, [value] if holds_list(value) else leaves(value))):
            # The loop has a name of its own for a list, and may change it.
            self._change([op.initial[index]])
            self.mismatches.setdefault(op, {})[index] = Mismatch(value)
            return Unknown()
        return any_iteration(value)

    def _next(self, op: WhileOp, index: int, value: object) -> object:
        """What a carried value is after one more iteration."""
        for end in op.back_edges:
            given = self.of(end.forwarded[index])
            if isinstance(given, Pending) and value == sequences.EMPTY:
                value = given
            if isinstance(value, Unknown) or isinstance(given, (Unbound, Pending)):
                continue
            named = op.before.block.args[index]
            if isinstance(given, Unknown):
                # Not known yet: of any size, or type if it is the first value.
                if isinstance(value, Tensor) and not isinstance(given, Unjoined):
                    self.unsettled.setdefault(op, set()).add(index)
                if not isinstance(value, Unbound):
                    given = self.of_any_size(value, named)
                value = given
                continue
            joined = self.join(value, any_iteration(given), named, widen=True)
            if isinstance(value, Unbound):
                joined = self._at_start(op, index, given)
            elif isinstance(joined, Unknown):
                mismatches = self.mismatches.setdefault(op, {})
                mismatches[index] = Mismatch(value, given, end.forwarded[index])
            value = joined
        return value

    def _visit_opaque(self, op: Operation) -> None:
        """A `for`: its results are unknown, and so are lists that it may change."""
        for inner in walk(op):
            self._change(inner.operands)
        for first, result in zip(op.operands[1:], op.results, strict=True):
            self.values[result] = self.assume(result, self.of(first))

    def _change(self, values: Iterable[SSAValue]) -> None:
        self._changed.add(self.values.get(v) for v in values)


def _is_settled(value: object) -> bool:
    """Whether a written type has nothing to add: it is known, or that it has none.

    A type is lost where `sum` of a list turns out to be 0 in some runs.
    """
    return not isinstance(value, Unknown) or isinstance(value, Unjoined)
