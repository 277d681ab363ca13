"""Shapes, dtypes and kinds: one walk forward over the entry function.

`infer(module)` gives an abstract value for every SSA value of the entry function. It
runs on any storey and never raises for what it cannot know: a `for`, calls of the
user's functions and whatever derives from them are `Unknown`. Nothing is stored in
the IR. Linear in the number of ops, for a given depth of loops.

A `while` is walked to a fixed point: what it carries starts with the shape, dtype and
kind of its first value (never with the value: a counter is an int, not 0), and an
iteration must give the same again. Until the body is known, that is assumed; so a body
may use `x.shape`, and by induction the answer holds, or the loop is a `Mismatch`, which
`dycl-check-typed` refuses.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.abstract import (
    VALUE,
    Kind,
    Scalar,
    Tensor,
    Unbound,
    Unknown,
    children,
    from_type,
    is_container,
    join,
    kind_of,
    leaves,
    map_leaves,
)
from dycl.analysis.abstract import name as words_for
from dycl.analysis.effects import host_effect
from dycl.analysis.meaning import Outcome, outcome, unknown
from dycl.analysis.reads import cannot_read, read_kind
from dycl.ir import (
    BuiltinOp,
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    ForOp,
    GetattrOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    LaunchOp,
    LeaveOp,
    ListOp,
    ParamOp,
    PositionOp,
    RecordOp,
    ScopeOp,
    SelectOp,
    SetattrOp,
    SliceOp,
    StoreSubscriptOp,
    SubscriptOp,
    SwitchOp,
    TupleOp,
    UnboundOp,
    UnpackOp,
    UnsupportedOp,
    ViewOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.number_functions import NAMES, SUM, result_kind
from dycl.ir.semantics import evaluate
from dycl.ir.torch import TorchOp
from dycl.ir.values import (
    GlobalRef,
    NotAConstant,
    ObjectRef,
    ParamRef,
    TensorConstant,
    from_attr,
)
from dycl.ir.world import NotEvaluated, World

_READ_ONLY_METHODS = ("get", "copy", "keys", "values", "items", "index", "count")
_CALLED = NAMES - {SUM}
"""Functions that users call on numbers."""
BUILD = (TupleOp, ListOp, DictOp, SliceOp, RecordOp)
"""Ops that make a structure of their operands."""
TAKE_APART = (SubscriptOp, UnpackOp, GetattrOp)
"""Ops that give a part of their operand, if that is a structure."""


def entry_function(module: ModuleOp) -> FuncOp | None:
    """The function marked `dycl.entry`, or None."""
    for op in module.body.ops:
        if isinstance(op, FuncOp) and "dycl.entry" in op.attributes:
            return op
    return None


def infer(module: ModuleOp) -> "Inference":
    """What is known of every value of the entry function (nothing without one)."""
    inference = Inference(World(module))
    entry = entry_function(module)
    if entry is not None and entry.body.blocks:
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


class Inference:
    """The abstract values of one function, and the outcome of each value op."""

    def __init__(self, world: World):
        self.world = world
        self.values: dict[SSAValue, object] = {}
        self.outcomes: dict[Operation, Outcome] = {}
        self.mismatches: dict[WhileOp, dict[int, Mismatch]] = {}
        self.settled: set[Operation] = set()
        """Every `if` and scope that has an end which no run comes to."""
        # Lists and dicts that code may have changed since they were made.
        self._changed: dict[int, object] = {}
        self._scopes: list[tuple[ScopeOp, list[list[object]]]] = []

    def of(self, value: SSAValue) -> object:
        """The abstract value of an SSA value."""
        found = self.values.get(value)
        if found is None and value not in self.values:
            return from_type(value.type)
        return Unknown() if self._changed and self._has_changed(found) else found

    def walk(self, block: Block) -> None:
        """Work out the ops of a block, and of the regions inside, in order."""
        for op in block.ops:
            self._visit(op)

    def _visit(self, op: Operation) -> None:
        match op:
            case IfOp():
                self._visit_if(op)
            case SwitchOp():
                self._visit_switch(op)
            case ScopeOp():
                self._visit_scope(op)
            case WhileOp():
                self._visit_while(op)
            case ForOp():
                self._visit_opaque(op)
            case LeaveOp():
                given = [self.of(v) for v in op.values]
                for scope, leaves in reversed(self._scopes):
                    if scope.label == op.label:
                        leaves.append(given)
                        break
            case _ if op.results:
                self._visit_value(op)
            case StoreSubscriptOp() | SetattrOp():
                self._change(op.operands)
            case _:
                pass

    def _visit_value(self, op: Operation) -> None:
        operands = [self.of(v) for v in op.operands]
        found = self._outcome(op, operands)
        self.outcomes[op] = found
        for result, value in zip(op.results, found.results, strict=True):
            self.values[result] = _or_by_type(value, result)

    def _outcome(self, op: Operation, operands: list[object]) -> Outcome:
        match op:
            case ConstantOp():
                return Outcome((_constant(op),))
            case UnboundOp():
                return Outcome((Unbound(op.variable.data),))
            case UnsupportedOp():
                return unknown(op)
            case PositionOp() if isinstance(operands[0], (Scalar, str)):
                return Outcome((Scalar("int"),))
            case TorchOp() | ParamOp() | LaunchOp() | ViewOp() | BuiltinOp():
                return Outcome(tuple(from_type(r.type) for r in op.results))
            case _:
                pass
        operands = [Unknown() if isinstance(o, Unbound) else o for o in operands]
        if host_effect(op, operands) is not None:
            return Outcome((None,))
        if (kind := read_kind(op, operands)) is not None:
            if (why := cannot_read(op, operands)) is not None:
                return unknown(op, why)
            return Outcome((Scalar(kind),))
        if (kind := _called_on_numbers(op, operands)) is not None:
            return Outcome((Scalar(kind),))
        if (found := _structural(op, operands, self.world)) is not None:
            return found
        if isinstance(op, GetattrOp) and isinstance(operands[0], ObjectRef):
            return _attribute(op, operands[0], self.world)
        if self._may_change_lists(op, operands):
            self._change(op.operands)
            return unknown(op)
        return outcome(op, operands, self.world)

    def _visit_if(self, op: IfOp) -> None:
        # A test of a shape is settled at once: what follows may be another test.
        taken = self.of(op.condition)
        given: list[list[object]] = []
        for side, region in ((True, op.then_region), (False, op.else_region)):
            reached = not isinstance(taken, bool) or taken == side
            leaves = [(*scope, len(scope[1])) for scope in self._scopes]
            self.walk(region.block)
            last = region.block.last_op
            if reached and isinstance(last, YieldOp):
                given.append([self.of(v) for v in last.values])
            if not reached:
                self.settled.add(op)
                for scope, found, count in leaves:
                    if len(found) > count:
                        self.settled.add(scope)
                        del found[count:]
        self._set_joined(op, given)

    def _visit_switch(self, op: SwitchOp) -> None:
        given: list[list[object]] = []
        for block in op.blocks():
            self.walk(block)
            if isinstance(end := block.last_op, YieldOp):
                given.append([self.of(v) for v in end.values])
        self._set_joined(op, given)

    def _visit_scope(self, op: ScopeOp) -> None:
        self._scopes.append((op, []))
        self.walk(op.body.block)
        self._set_joined(op, self._scopes.pop()[1])

    def _set_joined(self, op: Operation, given: list[list[object]]) -> None:
        """Give `op` the values that all paths to its end agree on."""
        values: list[object] = []
        for i in range(len(op.results)):
            value: object = given[0][i] if given else Unknown()
            for other in given[1:]:
                value = join(value, other[i])
            values.append(value)
        self._bind(op.results, values)

    def _bind(self, names: Sequence[SSAValue], values: Sequence[object]) -> None:
        """Give SSA values their abstract values, or what their types say."""
        for name, value in zip(names, values, strict=True):
            self.values[name] = _or_by_type(value, name)

    def _visit_while(self, op: WhileOp) -> None:
        self.mismatches.pop(op, None)
        carried = [self._at_start(op, i, self.of(v)) for i, v in enumerate(op.initial)]
        open_scopes = [(given, len(given)) for _, given in self._scopes]
        for walk in range(_MOST_WALKS):
            for given, count in open_scopes:
                del given[count:]
            self._bind(op.before.block.args, carried)
            self.walk(op.before.block)
            self._bind(op.body.block.args, [self.of(v) for v in op.condition.values])
            self.walk(op.body.block)
            after = [self._next(op, i, value) for i, value in enumerate(carried)]
            # A list that the first walk finds changed is so from its start.
            if after == carried and walk > 0:
                break
            carried = after
        ends = [list(end.values) for end in op.breaks]
        if not is_true(op.condition.condition):
            ends.append(list(op.condition.values))
        self._set_joined(op, [[self.of(v) for v in end] for end in ends])

    def _at_start(self, op: WhileOp, index: int, value: object) -> object:
        """What a carried value is in any iteration, if the first one is typical."""
        if not all(map(_is_carried, [value] if _holds_list(value) else leaves(value))):
            # The loop has a name of its own for a list, and may change it.
            self._change([op.initial[index]])
            self.mismatches.setdefault(op, {})[index] = Mismatch(value)
            return Unknown()
        return _any_iteration(value)

    def _next(self, op: WhileOp, index: int, value: object) -> object:
        """What a carried value is after one more iteration."""
        for end in op.back_edges:
            given = self.of(end.values[index])
            if isinstance(value, Unknown) or isinstance(given, (Unknown, Unbound)):
                continue
            joined = join(value, _any_iteration(given))
            if isinstance(value, Unbound):
                joined = self._at_start(op, index, given)
            elif isinstance(joined, Unknown):
                found = self.mismatches.setdefault(op, {})
                found[index] = Mismatch(value, given, end.values[index])
            value = joined
        return value

    def _visit_opaque(self, op: Operation) -> None:
        """A `for`: its results are unknown, and so are lists that it may change."""
        for inner in op.walk():
            self._change(inner.operands)
        for result in op.results:
            self.values[result] = from_type(result.type)

    def _may_change_lists(self, op: Operation, operands: Sequence[object]) -> bool:
        match op, operands:
            case InvokeOp(), [list() | dict(), *_]:
                return op.method.data not in _READ_ONLY_METHODS
            case InplaceOp(), [list() | dict(), *_]:
                return True
            case ((CallOp() | InvokeOp()), [ObjectRef(path), *_]):
                return not self.world.is_leaf(path)
            case CallOp(), [callee, *_]:
                return not isinstance(callee, GlobalRef)
            case _:
                return False

    def _change(self, values: Iterable[SSAValue]) -> None:
        """Lists and dicts reachable from `values` are not known any more."""
        stack = [self.values.get(v) for v in values]
        while stack:
            value = stack.pop()
            if is_container(value):
                if isinstance(value, (list, dict)):
                    self._changed[id(cast(object, value))] = cast(object, value)
                stack += children(value)

    def _has_changed(self, value: object) -> bool:
        if not is_container(value):
            return False
        return id(value) in self._changed or any(
            map(self._has_changed, children(value))
        )


def _or_by_type(value: object, named: SSAValue) -> object:
    """The value; if it is not known, what a type that is written already says."""
    if not isinstance(value, Unknown) or named.type == VALUE:
        return value
    found = from_type(named.type)
    return value if isinstance(found, Unknown) else found


def _called_on_numbers(op: Operation, operands: list[object]) -> Kind | None:
    """What a function of Python's gives of numbers one of which is open."""
    match op, operands:
        case CallOp(), [GlobalRef(name), *given] if not op.keyword_names:
            kinds = [kind for v in given if (kind := kind_of(v)) is not None]
            if len(kinds) == len(given) and any(isinstance(v, Scalar) for v in given):
                return result_kind(name, kinds) if name in _CALLED else None
            return None
        case _:
            return None


def is_true(condition: SSAValue) -> bool:
    """Whether a condition is the constant True: that of `while True`."""
    owner = condition.owner
    return isinstance(owner, ConstantOp) and _constant(owner) is True


def _holds_list(value: object) -> bool:
    if not is_container(value):
        return False
    return isinstance(value, (list, dict)) or any(map(_holds_list, children(value)))


def _is_carried(leaf: object) -> bool:
    """Whether a loop can hand on something of this kind, whatever its value."""
    number = kind_of(leaf) is not None
    return number or isinstance(leaf, (Tensor, Unknown, Unbound))


def _any_iteration(value: object) -> object:
    """A value of a loop's start as one that other iterations may have too."""

    def one(leaf: object) -> object:
        kind = kind_of(leaf)
        return leaf if kind is None else Scalar(kind)

    return map_leaves(value, one)


def _constant(op: ConstantOp) -> object:
    try:
        value = from_attr(op.value)
    except NotAConstant as error:
        return Unknown(str(error))
    if isinstance(value, (TensorConstant, ParamRef)):
        return Tensor.contiguous(value.shape, value.dtype)
    return value


def _structural(op: Operation, operands: list[object], world: World) -> Outcome | None:
    """Putting together and taking apart: done on abstract values as they are."""
    open_ = (Tensor, Scalar, Unknown)
    if isinstance(op, CompareOp) and op.kind_name in ("is", "is_not"):
        # Fake tensors have no identity that means anything.
        if all(isinstance(o, Tensor) for o in operands):
            return unknown(op, "whether two tensors are one object is not known")
        if all(isinstance(o, Scalar) for o in operands):
            return unknown(op, "whether two numbers are one object is not known")
    if isinstance(op, SelectOp):
        condition = operands[0]
        if isinstance(condition, open_):
            return Outcome((join(operands[1], operands[2]),))
        return Outcome((operands[1 if condition else 2],))
    build = isinstance(op, BUILD)
    if isinstance(op, DictOp) and any(isinstance(k, open_) for k in operands[::2]):
        return unknown(op, "a dict key depends on the input")
    if not build and not (isinstance(op, TAKE_APART) and is_container(operands[0])):
        return None
    if isinstance(op, SubscriptOp) and isinstance(operands[1], open_):
        return _any_item(op, operands)
    try:
        return Outcome(tuple(evaluate(op, operands, world)))
    except Exception as error:
        return unknown(op, str(error))


def _attribute(op: GetattrOp, ref: ObjectRef, world: World) -> Outcome:
    """What the model's object has recorded; never cached: models differ."""
    try:
        value = world.getattr(ref, op.attribute.data)
    except (AttributeError, NotEvaluated) as error:
        return unknown(op, str(error))
    if isinstance(value, (TensorConstant, ParamRef)):
        return Outcome((Tensor.contiguous(value.shape, value.dtype),))
    return Outcome((value,))


def _any_item(op: Operation, operands: list[object]) -> Outcome:
    if any(isinstance(o, Unknown) for o in operands):
        return unknown(op)
    what = words_for(operands[1])
    if isinstance(operands[0], dict) and isinstance(operands[1], Tensor):
        return unknown(op, f"{what} is no key of a dict: keys are numbers or strings")
    if not isinstance(operands[0], dict) and kind_of(operands[1]) == "float":
        return unknown(op, f"{what} is no index: indices are integers")
    return unknown(
        op, "which item of a Python list or dict is meant depends on the input"
    )
