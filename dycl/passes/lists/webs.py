"""Lists of a run that flow into one another, and whether their items have parts.

Nothing here changes the program: `dycl-split-sequences` does.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue, Use

from dycl.analysis.folding.iterators import ITERATORS
from dycl.ir import (
    AppendOp,
    CallOp,
    ExtendOp,
    ForOp,
    IfOp,
    LocalFunctionOp,
    ScopeOp,
    SequenceOp,
    SequenceType,
    SubscriptOp,
    TakeOp,
    ToBoolOp,
    UnboundOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import LoopOp, forwarded_from, forwarded_to
from dycl.ir.torch import IntT
from dycl.ir.walking import walk
from dycl.passes.aggregates.uses import is_returned
from dycl.passes.lists.counted import Counted, counted
from dycl.passes.lists.structures import (
    NOTHING,
    Structure,
    only_reads,
    parts_of,
    structure_of,
)


@dataclass
class Web:
    """Lists that become one another, in branches, loops and by `append`."""

    values: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    items: list[SSAValue] = field(default_factory=list[SSAValue])
    """What is put into one of them."""
    structure: Structure = NOTHING
    """What all items are."""

    @property
    def is_asked(self) -> bool:
        """Whether anything is asked of these lists."""
        return any(not _is_plain(use, self) for use in self.uses())

    def uses(self) -> Iterator[Use]:
        """What is done with the lists, one use after the other."""
        for value in list(self.values):
            yield from list(value.uses)


def loops_over(found: Iterable[Web]) -> list[tuple[ForOp, Counted]]:
    """The loops over such lists, and how they go over them."""
    lists = {value for web in found for value in web.values}
    result: dict[ForOp, Counted] = {}
    waiting = [use.operation for web in found for use in web.uses()]
    while waiting:
        op = waiting.pop(0)
        if isinstance(op, ForOp):
            how = counted(op.iterable, lambda v: v in lists or _is_of_run(v))
            if how is not None:
                result[op] = how
        elif isinstance(op, CallOp) and constant_name(op.callee) in ITERATORS:
            waiting += [use.operation for use in op.result.uses]
    return list(result.items())


def _is_of_run(value: SSAValue) -> bool:
    return isinstance(value.type, SequenceType)


def webs(entry: FuncOp) -> list[Web]:
    """The lists of which all items have the same parts, in the order of the program."""
    found: list[Web] = []
    seen: set[SSAValue] = set()
    for op in walk(entry):
        if isinstance(op, SequenceOp) and op.result not in seen:
            web = _web(op.result)
            seen.update(web.values)
            structure = _structure(web)
            if structure is not None:
                web.structure = structure
                found.append(web)
    return found


def what_keeps(web: Web) -> Operation | None:
    """A use of these lists that cannot be written for lists of the parts, or None."""
    for use in web.uses():
        if not _is_plain(use, web) and not _is_understood(use, web):
            return use.operation
    return None


def _web(first: SSAValue) -> Web:
    """All lists that a list becomes, and that become these."""
    web, waiting = Web(), [first]
    while waiting:
        value = waiting.pop()
        if value in web.values:
            continue
        web.values[value] = None
        owner = value.owner
        match owner:
            case SequenceOp():
                web.items += owner.items
            case AppendOp():
                web.items.append(owner.value)
                waiting.append(owner.sequence)
            case ExtendOp():
                waiting += owner.operands
            case TakeOp():
                waiting.append(owner.sequence)
            case CallOp() if is_copy(owner):
                waiting.append(owner.positional[0])
            case _:
                waiting += forwarded_from(value)
        for use in value.uses:
            waiting += becomes(use)
    return web


def becomes(use: Use) -> list[SSAValue]:
    """The lists that a list becomes by a use of it: nothing else can be one of them."""
    op = use.operation
    if isinstance(op, ExtendOp) or (
        isinstance(op, AppendOp | TakeOp) and use.index == 0
    ):
        return [op.result]
    if isinstance(op, CallOp) and is_copy(op):
        return [op.result]
    return forwarded_to(op, use.index)


def is_copy(op: CallOp) -> bool:
    """Whether this is `list(v)`, which of a list of a run is that list."""
    is_list = constant_name(op.callee) == "builtins.list"
    return is_list and len(op.operands) == 2 and not op.keyword_names


def _structure(web: Web) -> Structure | None:
    if not all(value.type == VALUE and _is_made_here(value) for value in web.values):
        return None
    items = [item for item in web.items if not _is_read(item, web)]
    (structure, *others) = dict.fromkeys(map(structure_of, items)) or (None,)
    if structure is None or others:
        return None
    rows = [parts_of(item) for item in items]
    known = [row for row in rows if row is not None]
    return structure.with_fixed(known) if len(known) == len(rows) else structure


def _is_read(item: SSAValue, web: Web) -> bool:
    """Whether what is put into a list comes from these lists."""
    owner = item.owner
    if isinstance(owner, Block):
        loop = owner.parent_op()
        if not isinstance(loop, ForOp):
            return False
        return item is loop.item and loop.iterable in web.values
    return isinstance(owner, SubscriptOp) and owner.operand in web.values


def _is_made_here(value: SSAValue) -> bool:
    owner = value.owner
    if isinstance(owner, SequenceOp | AppendOp | ExtendOp | TakeOp | UnboundOp):
        return True
    return bool(forwarded_from(value)) or isinstance(owner, CallOp)


def _is_plain(use: Use, web: Web) -> bool:
    """Whether a use makes a list of these from another, and asks for nothing."""
    lists = becomes(use)
    return bool(lists) and all(value in web.values for value in lists)


def _is_understood(use: Use, web: Web) -> bool:
    """Whether it is known what to do with the lists of the parts in the place of a
    list; and, of items that are lists or dicts, that nobody changes them."""
    op = use.operation
    if not _is_in_known_control(op):
        return False
    match op:
        case SubscriptOp() if use.index == 0:
            index = op.index
            is_int = index.type == IntT or type(constant_value(index)) is int
            return is_int and _only_read(op.result, web)
        case ToBoolOp():
            return True
        case CallOp() if constant_name(op.callee) == "builtins.len":
            return True
        case CallOp() if (count := turns(op)) is not None:
            return count == len(web.structure.keys) and web.structure.kind == "tuple"
        case _:
            return is_returned(use)


def _only_read(item: SSAValue, web: Web) -> bool:
    """Whether nobody changes what is read from a list."""
    return all(
        only_reads(use, web.structure)
        or (isinstance(use.operation, AppendOp) and use.operation.result in web.values)
        for use in item.uses
    )


def turns(op: CallOp) -> int | None:
    """Into how many names `zip(*v)` of a list is unpacked; None: it is another call."""
    is_zip = constant_name(op.callee) == "builtins.zip" and op.takes_apart(1)
    # All items have as many parts, so `strict` decides nothing.
    if not is_zip or op.keyword_names not in (("*",), ("*", "strict")):
        return None
    readers = [use.operation for use in op.result.uses]
    first = readers[0] if len(readers) == 1 else None
    if isinstance(first, CallOp):
        name = constant_name(first.callee)
        at = {"builtins.list": 1, "builtins.map": 2, "builtins.tuple": 1}.get(name, 0)
        if not at or len(first.operands) != at + 1:
            return None
        readers = [use.operation for use in first.result.uses]
    unpacks = [r for r in readers if isinstance(r, UnpackOp) and r.star is None]
    if len(unpacks) != 1 or len(readers) != 1:
        return None
    return len(unpacks[0].items)


def _is_in_known_control(op: Operation) -> bool:
    around = op.parent_op()
    while around is not None and not isinstance(around, (FuncOp, LocalFunctionOp)):
        if not isinstance(around, IfOp | ScopeOp | LoopOp):
            return False
        around = around.parent_op()
    return True
