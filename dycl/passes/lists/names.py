"""Which SSA values are names of which list, and which lists can be made sequences.

A list is *written* by `append`, `extend`, `insert` and `+=`. Its names are the value
that made it, and whatever a branch or loop forwards that can be nothing else. Where
different lists meet (`outs = outs + [y]` in a loop), what comes out is a list of its
own.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeGuard

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.folding.iterators import ITERATORS, is_read_at_once
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    DictOp,
    ForOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    LocalCallOp,
    LocalFunctionOp,
    LocalReturnOp,
    ReturnOp,
    ScopeOp,
    SequenceOp,
    SequenceType,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    ToListOp,
    TupleOp,
    UnboundOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.interfaces import LoopOp, forwarded_from, forwarded_to
from dycl.ir.walking import walk
from dycl.passes.lists.kinds import is_list, is_of_run
from dycl.passes.lists.later import comes_later
from dycl.passes.lists.recursions import (
    given_lists,
    is_given_list,
    is_returned,
    returned_lists,
)
from dycl.passes.lists.unbound import reads_without_value
from dycl.passes.lists.writes import can_write, copied, is_new, is_write

_HOLDERS = (TupleOp, ListOp, DictOp)


@dataclass
class ListVariable:
    """One list of the program: where it comes from, and by which names it is known."""

    definition: SSAValue
    names: set[SSAValue] = field(default_factory=set[SSAValue])
    writes: list[Operation] = field(default_factory=list[Operation])


def lists_to_carry(
    entry: FuncOp,
) -> tuple[list[list[ListVariable]], list[Operation]]:
    """Groups of lists that data-dependent code changes, and that can be followed.

    Then, for each that cannot, the op where it is lost.
    """
    followed: list[list[ListVariable]] = []
    lost: list[Operation] = []
    unbound = reads_without_value(entry)
    for group in filter(_is_changed, _Names(entry).groups()):
        names = {name for variable in group for name in variable.names}
        reads = (op for value, op in unbound.items() if value in names)
        where = next(reads, None) or _lost_at(group)
        if where is None:
            followed.append(group)
        elif isinstance(where, Operation):
            lost.append(where)
    return followed, lost


def becomes(op: Operation, index: int) -> list[SSAValue]:
    """What the operand of an op is another name of, or becomes by control flow."""
    if isinstance(op, InplaceOp):
        return [op.result] if index == 0 and op.kind_name == "add" else []
    return forwarded_to(op, index)


class _Names:
    """The lists of a function, found by following where their names go."""

    def __init__(self, entry: FuncOp):
        self.incoming: dict[SSAValue, list[SSAValue]] = defaultdict(list)
        self.values: dict[SSAValue, None] = {}
        """Every value that is a list, in the order of the program."""
        self.given = returned_lists(entry) | given_lists(entry)
        definitions = list(self.given)
        for op in walk(entry):
            if isinstance(op, ListOp):
                definitions.append(op.result)
            elif (of_run := copied(op)) is not None or isinstance(op, ToListOp):
                source = op.results[0] if of_run is None else of_run
                kinds = (source.type, source.owner)
                if any(isinstance(k, SequenceType | SequenceOp) for k in kinds):
                    definitions.append(op.results[0])
        self._spread(definitions)
        self.root = self._roots()

    def _spread(self, waiting: list[SSAValue]) -> None:
        while waiting:
            value = waiting.pop(0)
            if value in self.values:
                continue
            self.values[value] = None
            for use in value.uses:
                to = becomes(use.operation, use.index)
                if isinstance(use.operation, BinaryOp) and _is_add(use.operation):
                    to = [use.operation.result]
                elif use.index == _copied_at(use.operation):
                    to = [use.operation.results[0]]
                waiting += to
        for value in self.values:
            for source in _sources(value):
                if not isinstance(source.owner, UnboundOp):
                    self.incoming[value].append(source)

    def _roots(self) -> dict[SSAValue, SSAValue]:
        """The list that a value is a name of; found as phi nodes are simplified."""
        root: dict[SSAValue, SSAValue] = {}
        changed = True
        while changed:
            changed = False
            for value in self.values:
                sources = self.incoming[value]
                known = {root[s] for s in sources if s in root} - {value}
                if not sources or any(s not in self.values for s in sources):
                    new = value
                elif len(known) == 1 and root.get(value) != value:
                    (new,) = known
                elif not known:
                    continue
                else:
                    new = value
                if root.get(value) != new:
                    root[value] = new
                    changed = True
        return root

    def groups(self) -> list[list[ListVariable]]:
        """Lists that flow into one another, together."""
        variables: dict[SSAValue, ListVariable] = {}
        for value in self.values:
            origin = self.root.get(value, value)
            list_variable = variables.setdefault(origin, ListVariable(origin))
            list_variable.names.add(value)
            for use in value.uses:
                if is_write(use.operation, use.index):
                    list_variable.writes.append(use.operation)
        group: dict[SSAValue, SSAValue] = {v: v for v in variables}

        def top(value: SSAValue) -> SSAValue:
            while group[value] is not value:
                value = group[value]
            return value

        for origin in variables:
            for source in self._from(origin):
                if source in self.values:
                    group[top(origin)] = top(self.root.get(source, source))
        together: dict[SSAValue, list[ListVariable]] = {}
        for origin, variable in variables.items():
            together.setdefault(top(origin), []).append(variable)
        return list(together.values())

    def _from(self, origin: SSAValue) -> list[SSAValue]:
        owner = origin.owner
        if origin in self.given:
            return self.given[origin]
        if isinstance(owner, BinaryOp):
            return list(owner.operands)
        source = copied(owner)
        return self.incoming[origin] if source is None else [source]


def _copied_at(op: Operation) -> int | None:
    """Which operand of an op is the list that it copies."""
    source = copied(op)
    return None if source is None else list(op.operands).index(source)


def _is_add(op: BinaryOp) -> bool:
    return op.kind_name == "add"


def _sources(value: SSAValue) -> list[SSAValue]:
    """The values that flow into a value, if it is a name and nothing new."""
    owner = value.owner
    return [owner.lhs] if isinstance(owner, InplaceOp) else forwarded_from(value)


def is_tuple_of_sequence(op: object) -> TypeGuard[CallOp]:
    """Whether this is `tuple(s)` of a sequence."""
    if not isinstance(op, CallOp) or len(op.operands) != 2:
        return False
    is_tuple = constant_name(op.callee) == "builtins.tuple"
    return is_tuple and isinstance(op.positional[0].type, SequenceType)


def tuples_behind(value: SSAValue) -> list[TupleOp | CallOp] | None:
    """The tuples that a value is one of, if it is their only use, else None.

    A tuple is made by a display, or by `tuple(s)` of a sequence.
    """
    result: list[TupleOp | CallOp] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if not one.has_one_use():
            return None
        owner = one.owner
        if isinstance(owner, TupleOp) or is_tuple_of_sequence(owner):
            result.append(owner)
            continue
        sources = _sources(one)
        if not isinstance(one.owner, (IfOp, ScopeOp)) or not sources:
            return None
        waiting += sources
    return result


def _is_changed(group: Iterable[ListVariable]) -> bool:
    """Whether a list is written, becomes another one in a loop, or is a sum."""
    for variable in group:
        owner = variable.definition.owner
        if variable.writes or isinstance(owner, LocalCallOp):
            return True
        if any(map(is_returned, variable.names)):
            return True
        if isinstance(owner, BinaryOp) and any(map(is_of_run, owner.operands)):
            return True
        if isinstance(owner, Block) and isinstance(owner.parent_op(), LoopOp):
            return True
    return False


def _lost_at(group: list[ListVariable]) -> Operation | Block | None:
    """Where lists cannot be followed: what makes one, or uses it; None: nowhere."""
    written = any(variable.writes for variable in group)
    names = {name for variable in group for name in variable.names}
    for variable in group:
        if not _is_made_here(variable.definition, written, names):
            return variable.definition.owner
        for name in variable.names:
            for use in name.uses:
                if not _is_in_known_control(use.operation):
                    return use.operation
                if not _is_followed(use.operation, use.index, variable, names):
                    return use.operation
    return None


def _is_in_known_control(op: Operation) -> bool:
    """Whether a list can be handed through all that is around an op."""
    around = op.parent_op()
    while around is not None and not isinstance(around, (FuncOp, LocalFunctionOp)):
        if not isinstance(around, (IfOp, ScopeOp, LoopOp)):
            return False
        around = around.parent_op()
    return True


def _is_made_here(value: SSAValue, written: bool, names: set[SSAValue]) -> bool:
    """Whether all that the list may have been before is known, and has no other name.

    Where lists meet and one is written, each must have been made on its own side.
    """
    owner = value.owner
    if isinstance(owner, (ListOp, BinaryOp)) or is_new(owner):
        return True
    if is_given_list(value):
        return is_given_list(value, given_back=True)
    sources = _sources(value)
    if not sources or any(s not in names for s in sources):
        return all(s in names or isinstance(s.owner, UnboundOp) for s in sources)
    return not written or all(_is_forwarded(s, value) for s in sources)


def _is_forwarded(source: SSAValue, to: SSAValue) -> bool:
    """Whether a list made here is not used any more once it has become another."""
    owner = source.owner
    if source is to or isinstance(owner, UnboundOp):
        return True
    if not isinstance(owner, Operation) or not (
        isinstance(owner, (ListOp, BinaryOp)) or is_new(owner)
    ):
        return False
    (home,) = (owner.parent,)
    assert home is not None
    ends = [u.operation for u in source.uses if to in becomes(u.operation, u.index)]
    if len(ends) != 1 or ends[0].parent is not home:
        return False
    others = [u.operation for u in source.uses if u.operation is not ends[0]]
    ancestors = [home.find_ancestor_op_in_block(other) for other in others]
    return all(
        op is not None and op.is_before_in_block(ends[0]) for op in ancestors
    ) and not any(
        becomes(u.operation, u.index) for u in source.uses if u.operation in others
    )


def _is_followed(
    op: Operation, index: int, variable: ListVariable, names: set[SSAValue]
) -> bool:
    """Whether this use of a list is understood."""
    if becomes(op, index):
        return not isinstance(op, InplaceOp) or _can_extend(op.rhs, names)
    match op:
        case InvokeOp() | StoreSubscriptOp() if index == 0 and can_write(op, names):
            return True
        case InvokeOp() if index == 0:
            if copied(op) is not None:
                return True
            if op.method.data in ("count", "index"):
                return not op.is_starred
            if len(op.operands) != 2 or op.keyword_names:
                return False
            if op.method.data == "append":
                return op.arguments[0] not in names
            return op.method.data == "extend" and _can_extend(op.arguments[0], names)
        case InvokeOp() if op.method.data != "append":
            return op.method.data == "extend" and is_list(op.receiver)
        case InplaceOp():
            return is_list(op.lhs)
        case BinaryOp() if op.kind_name == "mul":
            return True
        case BinaryOp():
            return _is_add(op) and all(_can_extend(v, names) for v in op.operands)
        case CallOp() if copied(op) is not None:
            return True
        case CallOp():
            name = constant_name(op.callee)
            if name in ITERATORS and not is_read_at_once(op, names.__contains__):
                return False
            return name != "" and _is_iterated_unchanged(op, variable)
        case ForOp():
            return _is_iterated_unchanged(op, variable)
        case CompareOp() if op.kind_name in ("in", "not_in"):
            return index == 1
        case CompareOp():
            return op.kind_name not in ("is", "is_not")
        case SubscriptOp() | ToBoolOp() | ReturnOp() | UnpackOp():
            return True
        case LocalCallOp():
            is_one = sum(v in variable.names for v in op.arguments) == 1
            return is_one and index in op.function.lists_returned
        case LocalReturnOp():
            return sum(v in variable.names for v in op.values) == 1
        case _ if isinstance(op, (*_HOLDERS, InvokeOp)):
            return not any(map(is_returned, variable.names)) and not any(
                comes_later(w, op, variable.definition) for w in variable.writes
            )
        case _:
            return False


def _can_extend(value: SSAValue, names: set[SSAValue]) -> bool:
    result = value in names or fixed_items(value) is not None
    constant = isinstance(constant_value(value), (list, tuple))
    return result or constant or is_of_run(value)


def fixed_items(value: SSAValue) -> list[SSAValue] | None:
    """The items of a tuple, or of a list that nobody writes."""
    owner = value.owner
    if isinstance(owner, TupleOp):
        return list(owner.items)
    if not isinstance(owner, ListOp):
        return None
    if any(is_write(use.operation, use.index) for use in value.uses):
        return None
    return list(owner.items)


def _is_iterated_unchanged(op: Operation, variable: ListVariable) -> bool:
    """Whether no loop over this (a list, or an `enumerate` of it) changes the list."""
    loops = [op] if isinstance(op, ForOp) else []
    for result in op.results if isinstance(op, CallOp) else ():
        loops += [u.operation for u in result.uses if isinstance(u.operation, ForOp)]
    return not any(loop.is_ancestor(w) for loop in loops for w in variable.writes)
