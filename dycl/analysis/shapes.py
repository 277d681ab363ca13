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
from dataclasses import dataclass, replace
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis import open_stores, sequences, slices
from dycl.analysis.abstract import (
    VALUE,
    Dim,
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
    open_sizes,
    widened,
)
from dycl.analysis.abstract import Sequence as ListOf
from dycl.analysis.abstract import name as words_for
from dycl.analysis.effects import host_effect
from dycl.analysis.index_lists import is_list_of_ints
from dycl.analysis.meaning import Outcome, outcome, unknown
from dycl.analysis.reads import cannot_read, read_kind
from dycl.analysis.sizes import arithmetic, dims_of, is_counted, words
from dycl.ir import (
    BinaryOp,
    BuiltinOp,
    CallOp,
    CastOp,
    CheckedOp,
    CompareOp,
    ConcatOp,
    ConstantOp,
    DictOp,
    DimOp,
    ForOp,
    GetattrOp,
    GetOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    LaunchOp,
    LeaveOp,
    LengthOp,
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
    ToListOp,
    TupleOp,
    UnaryOp,
    UnboundOp,
    UnpackOp,
    UnsupportedOp,
    UpdateSubscriptOp,
    ViewOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.number_functions import NAMES, SUM, result_kind
from dycl.ir.semantics import evaluate
from dycl.ir.torch import DYNAMIC, TorchOp, VTensorType
from dycl.ir.values import (
    GlobalRef,
    NotAConstant,
    ObjectRef,
    ParamRef,
    TensorConstant,
    from_attr,
)
from dycl.ir.walking import walk
from dycl.ir.world import NotEvaluated, World

_READ_ONLY_METHODS = ("get", "copy", "keys", "values", "items", "index", "count")
_CALLED = NAMES - {SUM}
"""Functions that users call on numbers."""
BUILD = (TupleOp, ListOp, DictOp, SliceOp, RecordOp)
"""Ops that make a structure of their operands."""
_HOLD = (*BUILD, SelectOp)
_TYPED = (
    TorchOp,
    ParamOp,
    LaunchOp,
    ViewOp,
    BuiltinOp,
    LengthOp,
    GetOp,
    ConcatOp,
    ToListOp,
    DimOp,
)
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
        self.widened: dict[WhileOp, set[int]] = {}
        """Carried values that start with sizes which the iterations then change."""
        self.settled: set[Operation] = set()
        """Every `if` and scope that has an end which no run comes to."""
        # Lists and dicts that code may have changed since they were made.
        self._changed: dict[int, object] = {}
        self._scopes: list[tuple[ScopeOp, list[list[object]]]] = []
        self.sizes: dict[str, tuple[SSAValue, int]] = {}
        """What a name in a `Dim` is: a dimension of a value; -1: the int itself."""
        self._dims: dict[tuple[SSAValue, int], Dim] = {}

    def of(self, value: SSAValue) -> object:
        """The abstract value of an SSA value."""
        found = self.values.get(value)
        if found is None and value not in self.values:
            return self.typed(value)
        return Unknown() if self._changed and self._has_changed(found) else found

    def dim(self, value: SSAValue, dimension: int) -> Dim:
        """The size of a dimension of a value, which a run decides."""
        key = (value, dimension)
        if key not in self._dims:
            name = f"{'n' if dimension < 0 else 'd'}{len(self._dims)}"
            self._dims[key] = Dim(name)
            self.sizes[name] = key
        return self._dims[key]

    def typed(self, value: SSAValue) -> object:
        """What the type of a value says about it."""
        found = value.type
        if isinstance(found, VTensorType):
            sizes, dtype = found.sizes(), found.element_type()
            if sizes is not None and dtype is not None and DYNAMIC in sizes:
                shape = [
                    self.dim(value, i) if size == DYNAMIC else size
                    for i, size in enumerate(sizes)
                ]
                return Tensor.contiguous(tuple(shape), dtype)
        return self._named(from_type(found), value)

    def _named(self, value: object, named: SSAValue) -> object:
        """An int that the data decides is known by the name of its SSA value."""
        if isinstance(value, Scalar) and value.kind == "int" and value.size is None:
            return Scalar("int", self.dim(named, -1))
        return value

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
        found = self._with_names(op, self._outcome(op, operands))
        self.outcomes[op] = found
        for result, value in zip(op.results, found.results, strict=True):
            reckoned = _arithmetic(op, operands) if value == Scalar("int") else None
            self.values[result] = self._or_by_type(reckoned or value, result)

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
            case GetattrOp() if _asks_for_gradients(op, operands[0]):
                return unknown(op, "whether a parameter has gradients is not known")
            case _ if isinstance(op, _TYPED):
                return Outcome(tuple(self.typed(r) for r in op.results))
            case _:
                pass
        operands = [Unknown() if isinstance(o, Unbound) else o for o in operands]
        if host_effect(op, operands) is not None:
            return Outcome((None,))
        if isinstance(op, (CastOp, CheckedOp)):
            return Outcome((operands[0],), frozenset({(0, 0)}))
        if (length := _length(op, operands)) is not None:
            return Outcome((length,))
        if sequences.is_sequence_op(op, operands) and not isinstance(op, _HOLD):
            return sequences.outcome(op, operands, lambda d: self.dim(op.results[0], d))
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
        match op, operands:
            case SubscriptOp(), [Tensor(shape=[_, *rest], dtype=dtype), Unknown()]:
                if is_list_of_ints(op.index):
                    shape = (self.dim(op.results[0], 0), *rest)
                    return Outcome((Tensor.contiguous(shape, dtype),))
            case InvokeOp(), [Tensor() as tensor] if op.method.data == "tolist":
                if not tensor.is_static:
                    return Outcome((sequences.nested(tensor),))
            case CallOp(), [GlobalRef("builtins.len"), Unknown()]:
                if is_list_of_ints(op.positional[0]):
                    return Outcome((Scalar("int"),))
            case _:
                pass
        if isinstance(op, UpdateSubscriptOp):
            store = open_stores.plan(operands, op.kind_name)
            if isinstance(store, str):
                return unknown(op, store)
            if store is not None:
                written = frozenset((0,))
                return Outcome((operands[0],), frozenset({(0, 0)}), written)
        found = outcome(op, operands, self.world)
        match op, operands:
            case SubscriptOp(), [Tensor() as tensor, index]:
                steps = slices.plan(tensor, index)
                if steps is not None and not _is_exact(found, steps):
                    return slices.outcome(
                        tensor, steps, lambda d: self.dim(op.results[0], d)
                    )
            case _:
                pass
        return found

    def _with_names(self, op: Operation, found: Outcome) -> Outcome:
        """Sizes that an op has counted are those of its results from here on."""
        counted = [d for leaf in leaves(found.results) for d in dims_of(leaf)]
        if not any(map(is_counted, counted)):
            return found
        names: dict[Dim, Dim] = {}
        results: list[object] = []
        for value, named in zip(found.results, op.results, strict=True):
            numbers = iter(range(1_000_000))

            def one(
                leaf: object, named: SSAValue = named, numbers: Any = numbers
            ) -> object:
                key = next(numbers) * PART
                if isinstance(leaf, Scalar):
                    return Scalar(leaf.kind)
                if not isinstance(leaf, Tensor):
                    return leaf
                shape = list(leaf.shape)
                for d, size in enumerate(shape):
                    if isinstance(size, Dim) and is_counted(size):
                        if size not in names:
                            names[size] = self.dim(named, key + d)
                        shape[d] = names[size]
                return Tensor.contiguous(tuple(shape), leaf.dtype)

            results.append(map_leaves(value, one))
        return replace(found, results=tuple(results))

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
                value = self._join(
                    value, other[i], op.results[i], isinstance(op, WhileOp)
                )
            values.append(value)
        inside = [region.block for region in op.regions]
        self._bind(op.results, self._exported(values, op.results, inside))

    def _join(
        self, one: object, other: object, named: SSAValue, widen: bool, leaf: int = 0
    ) -> object:
        """As `join`; tensors of different sizes become one whose size is open.

        Two known sizes stay apart unless `widen`. `leaf` counts through a tuple.
        """
        if isinstance(one, Tensor) and isinstance(other, Tensor):
            if widen or not (one.is_static and other.is_static):
                key = PART * leaf
                found = widened(one, other, lambda d: self.dim(named, key + d))
                if found is not None:
                    return found
        elif type(one) is tuple and type(other) is tuple:
            ones, others = (
                cast("tuple[object, ...]", one),
                cast("tuple[object, ...]", other),
            )
            if len(ones) == len(others):
                pairs = enumerate(zip(ones, others, strict=True), leaf * 8 + 1)
                return tuple(self._join(a, b, named, widen, i) for i, (a, b) in pairs)
        return join(one, other)

    def _exported(
        self,
        values: Sequence[object],
        names: Sequence[SSAValue],
        inside: Sequence[Block],
    ) -> list[object]:
        """The values as seen from outside: sizes named inside get other names."""
        renamed: dict[str, Dim] = {}
        found: list[object] = []
        for value, named in zip(values, names, strict=True):
            number = iter(range(1_000_000))

            def one(
                leaf: object, named: SSAValue = named, number: Any = number
            ) -> object:
                key = next(number) * PART
                if isinstance(leaf, Scalar) and leaf.size is not None:
                    hidden = self._is_named_in(leaf.size, inside)
                    return Scalar(leaf.kind) if hidden else leaf
                if not isinstance(leaf, Tensor) or leaf.is_static:
                    return leaf
                shape: list[int | Dim] = list(leaf.shape)
                for d, size in enumerate(shape):
                    if isinstance(size, Dim) and self._is_named_in(size, inside):
                        new = renamed.get(size.text) or self.dim(named, key + d)
                        shape[d] = renamed[size.text] = new
                return Tensor.contiguous(tuple(shape), leaf.dtype)

            found.append(map_leaves(value, one))
        return found

    def _is_named_in(self, size: Dim, inside: Sequence[Block]) -> bool:
        for name in words(size.text):
            if name not in self.sizes:
                continue
            owner = self.sizes[name][0].owner
            block = owner if isinstance(owner, Block) else owner.parent
            while block is not None:
                if any(block is one for one in inside):
                    return True
                block = block.parent_block()
        return False

    def _bind(self, names: Sequence[SSAValue], values: Sequence[object]) -> None:
        """Give SSA values their abstract values, or what their types say."""
        for name, value in zip(names, values, strict=True):
            self.values[name] = self._or_by_type(value, name)

    def _or_by_type(self, value: object, named: SSAValue) -> object:
        """The value; if it is not known, what a type that is written already says."""
        if not isinstance(value, Unknown) or named.type == VALUE:
            return self._named(value, named)
        found = self.typed(named)
        return value if isinstance(found, Unknown) else found

    def _visit_while(self, op: WhileOp) -> None:
        self.mismatches.pop(op, None)
        carried = [self._at_start(op, i, self.of(v)) for i, v in enumerate(op.initial)]
        open_scopes = [(given, len(given)) for _, given in self._scopes]
        inner = set(walk(op))
        for number in range(_MOST_WALKS):
            self.settled -= inner
            for given, count in open_scopes:
                del given[count:]
            self._bind(op.before.block.args, carried)
            self.walk(op.before.block)
            entered = [self.of(v) for v in op.condition.values]
            names = op.body.block.args
            self._bind(names, self._exported(entered, names, [op.before.block]))
            self.walk(op.body.block)
            after = [self._next(op, i, value) for i, value in enumerate(carried)]
            # A list that the first walk finds changed is so from its start.
            if after == carried and number > 0:
                break
            carried = after
        self.widened[op] = {
            index
            for index, initial in enumerate(op.initial)
            if open_sizes(carried[index]) and not open_sizes(self.of(initial))
        }
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
            if isinstance(value, Unknown) or isinstance(given, Unbound):
                continue
            named = op.before.block.args[index]
            if isinstance(given, Unknown):
                # Not worked out yet: it may be of any size, or of any type if this is
                # the first value that the name gets.
                unbound = isinstance(value, Unbound)
                value = given if unbound else self._of_any_size(value, named)
                continue
            joined = self._join(value, _any_iteration(given), named, widen=True)
            if isinstance(value, Unbound):
                joined = self._at_start(op, index, given)
            elif isinstance(joined, Unknown):
                found = self.mismatches.setdefault(op, {})
                found[index] = Mismatch(value, given, end.values[index])
            value = joined
        return value

    def _of_any_size(self, value: object, named: SSAValue) -> object:
        number = iter(range(1_000_000))

        def one(leaf: object) -> object:
            key = next(number) * PART
            if not isinstance(leaf, Tensor):
                return leaf
            shape = tuple(self.dim(named, key + d) for d in range(len(leaf.shape)))
            return Tensor.contiguous(shape, leaf.dtype)

        return map_leaves(value, one)

    def _visit_opaque(self, op: Operation) -> None:
        """A `for`: its results are unknown, and so are lists that it may change."""
        for inner in walk(op):
            self._change(inner.operands)
        for result in op.results:
            self.values[result] = self.typed(result)

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


PART = 1000
"""Sizes of the n-th tensor in a tuple are numbered from n times this."""


def _is_exact(found: Outcome, steps: list[slices.Step]) -> bool:
    """Whether a slice has a known size, whatever the size that it is a part of.

    So it is with `x[:, -1:]`, but for an empty whole, which raises.
    """
    if any(map(slices.has_input, steps)):
        return False
    (result,) = found.results
    if not isinstance(result, Tensor) or not result.is_static:
        return False
    return all(r.relation.endswith(" != 0") for r in found.requires)


def _length(op: Operation, operands: Sequence[object]) -> object:
    """`len(x)` of a tensor whose first size is open; None: it is something else."""
    match op, operands:
        case CallOp(), [GlobalRef("builtins.len"), Tensor(shape=[Dim() as size, *_])]:
            return Scalar("int", size)
        case CallOp(), [GlobalRef("builtins.len"), Tensor(shape=[int(size), *_]) as x]:
            return None if x.is_static else size
        case _:
            return None


def _arithmetic(op: Operation, operands: Sequence[object]) -> Scalar | None:
    """What an int is that is computed from sizes of tensors."""
    if not isinstance(op, (BinaryOp, InplaceOp)):
        return None
    given: list[int | Dim] = []
    for operand in operands:
        if isinstance(operand, Scalar) and operand.size is not None:
            given.append(operand.size)
        elif type(operand) is int:
            given.append(operand)
    texts = [size.text for size in given if isinstance(size, Dim)]
    if len(given) != 2 or not any(w[0] == "d" for t in texts for w in words(t)):
        return None
    found = arithmetic(op.kind_name, given[0], given[1])
    return Scalar("int", found) if isinstance(found, Dim) else None


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
    return number or isinstance(leaf, (Tensor, ListOf, Unknown, Unbound))


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
    return map_leaves(value, _as_tensor)


def _as_tensor(leaf: object) -> object:
    if isinstance(leaf, (TensorConstant, ParamRef)):
        return Tensor.contiguous(leaf.shape, leaf.dtype)
    return leaf


def _asks_for_gradients(op: GetattrOp, value: object) -> bool:
    """Whether a parameter may be meant: all else has no gradients, as in no_grad."""
    tensor = isinstance(value, (Tensor, ParamRef))
    if not tensor or op.attribute.data not in _OF_GRADIENTS:
        return False
    owner = op.operand.owner
    if isinstance(owner, Operation):
        return not isinstance(owner, (BinaryOp, CallOp, UnaryOp, TorchOp))
    above = owner.parent_op()
    return above is None or "dycl.entry" not in above.attributes


_OF_GRADIENTS = ("grad", "grad_fn", "is_leaf", "requires_grad")


def _structural(op: Operation, operands: list[object], world: World) -> Outcome | None:
    """Putting together and taking apart: done on abstract values as they are."""
    open_ = (Tensor, Scalar, ListOf, Unknown)
    if isinstance(op, CompareOp) and op.kind_name in ("is", "is_not"):
        # Fake tensors have no identity that means anything.
        if all(isinstance(o, Tensor) for o in operands):
            return unknown(op, "whether two tensors are one object is not known")
        kinds = {kind_of(o) for o in operands if isinstance(o, Scalar)}
        if all(isinstance(o, Scalar) for o in operands) and kinds != {"bool"}:
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
