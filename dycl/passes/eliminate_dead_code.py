"""`dycl-eliminate-dead-code`: removes what no result of the network needs.

Before                               After
------                               -----
%u = torch.aten.relu %x : ...        %a = dycl.if %p -> (T) {
%a, %b = dycl.if %p -> (T, T) {        dycl.yield %x
  dycl.yield %x, %y                  } else {
} else {                               dycl.yield %y
  dycl.yield %y, %x                  }
}                                    dycl.return %a
dycl.return %a

Needs:  nothing; runs on every storey.
Leaves: no pure op, no result of an `if`, no carried value of a loop without a user;
        nothing behind an op that never falls through, such as a loop without an end;
        only the functions, kernels and objects that the entry function leads to, and
        objects that hold a buffer which it writes to.
Skips:  ops that may do more than give results: calls of unknown functions, updates in
        place, exits. Without an entry function all functions and objects stay.
"""

from dataclasses import dataclass
from typing import cast
from weakref import WeakKeyDictionary

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import (
    Attribute,
    Block,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
)
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from dycl.analysis.memory.effects import is_effect_free, is_removable
from dycl.analysis.memory.mutation import changed_values
from dycl.analysis.tensors.shapes import entry_function
from dycl.ir import (
    BreakOp,
    ConstantOp,
    ContinueOp,
    ForOp,
    IfOp,
    LeaveOp,
    ObjectOp,
    ScopeOp,
    UnboundOp,
    UnreachableOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.attempts import is_try
from dycl.ir.attributes import GlobalAttr, ParamAttr
from dycl.ir.dialect.model import symbol_ops
from dycl.ir.known import known
from dycl.ir.values import ParamRef, from_attr
from dycl.ir.walking import walk
from dycl.ir.world import World
from dycl.passes import _edit as edit


@dataclass(frozen=True)
class EliminateDeadCodePass(ModulePass):
    """Removes what no result of the network needs."""

    name = "dycl-eliminate-dead-code"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Remove dead code; raises nothing."""
        world = World(op)
        for function in list(op.body.ops):
            for region in function.regions:
                for block in region.blocks:
                    _remove_unreachable(block)
                    _clean(block, world)
        _remove_symbols(op)


def _remove_unreachable(block: Block) -> None:
    """Cut blocks off behind an `if` or a loop that nothing falls out of."""
    for op in list(block.ops):
        for region in op.regions:
            _remove_unreachable(region.block)
        ends = isinstance(op, (IfOp, WhileOp)) and not _falls_through(op)
        if ends and op.next_op is not None:
            if isinstance(op.next_op, UnreachableOp):
                return
            end = UnreachableOp()
            end.location = op.location
            for dead in reversed(list(_after(op))):
                dead.detach()
                dead.erase(safe_erase=False)
            block.add_op(end)
            return


def _after(op: Operation) -> list[Operation]:
    found: list[Operation] = []
    later = op.next_op
    while later is not None:
        found.append(later)
        later = later.next_op
    return found


def _falls_through(op: IfOp | WhileOp) -> bool:
    if isinstance(op, WhileOp):
        return known(op.condition.condition) is not True or bool(op.breaks)
    return any(isinstance(region.block.last_op, YieldOp) for region in op.regions)


def _clean(block: Block, world: World) -> None:
    """From the last op to the first: users are gone before what they use is seen."""
    if is_try(block.parent_op()):
        return  # what fails in a body is seen, also where its result is not used
    op = block.last_op
    while op is not None:
        before = op.prev_op
        if op.regions:
            if isinstance(op, WhileOp):
                _clean_regions(op, world)  # what it reads tells what it must carry
                _unbind_results(op)
                _forget_at_breaks(op)
                _clean_regions(op, world)
            op = _drop_results(op)
            _clean_regions(op, world)
        used = any(result.uses for result in op.results)
        if not used and (is_removable(op, world) or _is_dead_control(op)):
            op.detach()
            op.erase()
        op = before


def _clean_regions(op: Operation, world: World) -> None:
    for region in reversed(op.regions):
        for inner in reversed(region.blocks):
            _clean(inner, world)


def _is_dead_control(op: Operation) -> bool:
    """Whether an `if`, a scope or a `for` is left that does nothing."""
    if isinstance(op, IfOp):
        return not is_try(op) and all(
            isinstance(last := region.block.last_op, YieldOp)
            and region.block.first_op is last
            for region in op.regions
        )
    dead = isinstance(op, (ScopeOp, ForOp)) and is_effect_free(op)
    return dead and not any(map(is_try, walk(op)))


def _drop_results(op: Operation) -> Operation:
    """The op without its unused results; a new op if there are any."""
    match op:
        case IfOp():
            return _drop_if_results(op)
        case ScopeOp():
            return _drop_scope_results(op)
        case ForOp():
            return _drop_carried(op)
        case WhileOp():
            return _drop_carried_of_while(op)
        case _:
            return op


def _kept(op: Operation) -> list[int] | None:
    """The numbers of the used results, or None if all are used."""
    kept = [i for i, result in enumerate(op.results) if result.uses]
    return None if len(kept) == len(op.results) else kept


def _drop_if_results(op: IfOp) -> Operation:
    if (kept := _kept(op)) is None:
        return op
    for region in op.regions:
        if isinstance(end := region.block.last_op, YieldOp):
            _keep_operands(end, kept)
    regions = [_moved(region) for region in op.regions]
    types = [op.results[i].type for i in kept]
    new = IfOp(op.condition, types, regions[0], regions[1], dict(op.attributes))
    return _replace(op, new, kept)


def _drop_scope_results(op: ScopeOp) -> Operation:
    if (kept := _kept(op)) is None:
        return op
    for end in list(walk(op.body)):
        if isinstance(end, LeaveOp) and edit.scope_of(end) is op:
            _keep_operands(end, kept)
    types = [op.results[i].type for i in kept]
    new = ScopeOp(op.label.data, types, _moved(op.body))
    new.attributes |= op.attributes
    return _replace(op, new, kept)


def _drop_carried(op: ForOp) -> Operation:
    """Drop what a loop carries only to hand it to its own next iteration."""
    ends = [end for end in walk(op) if _ends_loop(end, op)]
    block = op.body.block
    dead = [i for i, result in enumerate(op.results) if not result.uses]
    live: list[int] | None = None
    while live is None or live:
        live = [i for i in dead if not _goes_only_to(block.args[i + 1], ends, dead)]
        dead = [i for i in dead if i not in live]
    if not dead:
        return op
    kept = [i for i in range(len(op.results)) if i not in dead]
    for end in ends:
        _keep_operands(end, kept)
    for i in reversed(dead):
        block.erase_arg(block.args[i + 1])
    initial = [op.initial[i] for i in kept]
    new = ForOp(op.iterable, initial, _moved(op.body))
    new.attributes |= op.attributes
    return _replace(op, new, kept)


def _goes_only_to(value: SSAValue, ends: list[Operation], places: list[int]) -> bool:
    """Whether a value is nothing but one of these operands of the ends."""
    return all(use.operation in ends and use.index in places for use in value.uses)


def _drop_carried_of_while(op: WhileOp) -> Operation:
    """Drop what is neither read nor a result."""
    unused = [i for i, result in enumerate(op.results) if not result.uses]
    dead = [i for i in unused if _is_idle(op, i)]
    if not dead:
        return op
    kept = [i for i in range(len(op.results)) if i not in dead]
    for end in op.jumps:
        _keep_operands(end, kept)
    _keep_operands(op.condition, [0, *(i + 1 for i in kept)])
    for i in reversed(dead):
        for block in (op.before.block, op.body.block):
            block.erase_arg(block.args[i])
    initial = [op.initial[i] for i in kept]
    new = WhileOp(initial, _moved(op.before), _moved(op.body))
    new.attributes |= op.attributes
    return _replace(op, new, kept)


def _is_idle(op: WhileOp, index: int) -> bool:
    """Whether a loop hands a carried value on, from its start to its end, unread."""
    ends = op.back_edges if op.results[index].uses else op.jumps
    places = {(end, index) for end in ends} | {(op.condition, index + 1)}
    return all(
        (use.operation, use.index) in places
        for block in (op.before.block, op.body.block)
        for use in block.args[index].uses
    )


def _unbind_results(op: WhileOp) -> None:
    """What only a `break` of a `while True` gives is not carried up to there."""
    if known(op.condition.condition) is True:
        for i, result in enumerate(op.results):
            if result.uses and _is_idle(op, i):
                _unbind(op, i)


def _forget_at_breaks(op: WhileOp) -> None:
    """What nobody asks for behind a loop leaves it as the iteration was given it.

    A `break` may stand where the name has a value of another type.
    """
    given = op.body.block.args
    for end in op.breaks:
        for i, result in enumerate(op.results):
            if not result.uses and end.operands[i] is not given[i]:
                end.operands[i] = given[i]


def _unbind(op: WhileOp, index: int) -> None:
    users = [(op, index), *((end, index) for end in op.back_edges)]
    carried = op.before.block.args[index]
    for user, place in users:
        if isinstance(user.operands[place].owner, UnboundOp):
            continue
        unbound = UnboundOp(op.results[index].name_hint or "it", carried.type)
        unbound.location = user.location
        block = user.parent
        assert block is not None
        block.insert_op_before(unbound, user)
        user.operands[place] = unbound.result


def _ends_loop(end: Operation, loop: Operation) -> bool:
    if isinstance(end, YieldOp):
        return end.parent_op() is loop
    if not isinstance(end, (BreakOp, ContinueOp)):
        return False
    above = end.parent_op()
    while above is not None and not isinstance(above, (ForOp, WhileOp)):
        above = above.parent_op()
    return above is loop


def _keep_operands(end: Operation, kept: list[int]) -> None:
    end.operands = [end.operands[i] for i in kept]


def _moved(region: Region) -> Region:
    new = Region()
    region.move_blocks(new)
    return new


def _replace(op: Operation, new: Operation, kept: list[int]) -> Operation:
    new.location = op.location
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    for i, result in zip(kept, new.results, strict=True):
        result.name_hint = op.results[i].name_hint
        op.results[i].replace_all_uses_with(result)
    Rewriter.erase_op(op, safe_erase=False)
    return new


def _remove_symbols(module: ModuleOp) -> None:
    """Remove functions and objects that the entry function does not lead to."""
    entry = entry_function(module)
    if entry is None:
        return
    symbols = symbol_ops(module)
    reached = {entry.sym_name.data}
    todo: list[Operation] = [entry]
    for path in _holders_of_written(entry, World(module)):
        reached.add(path)
        todo.append(symbols[path])
    while todo:
        for op in walk(todo.pop()):
            for name in _mentioned(op) - reached:
                reached.add(name)
                if name in symbols:
                    todo.append(symbols[name])
    for name, op in symbols.items():
        if name not in reached:
            op.detach()
            op.erase(safe_erase=False)


def _holders_of_written(entry: FuncOp, world: World) -> list[str]:
    """The objects that hold a buffer which is written to: that will be their state."""
    # Which parameters overlap is written at the model itself.
    notes = [""] if "" in world.paths and "__overlapping__" in world.members("") else []
    constants = [
        op
        for op in walk(entry)
        if isinstance(op, ConstantOp) and isinstance(op.value, ParamAttr)
    ]
    if not constants:
        return notes
    changed = changed_values(entry.body.block, world)
    written = [from_attr(op.value) for op in constants if op.result in changed]
    paths = {
        path
        for ref in written
        if isinstance(ref, ParamRef)
        for path, _ in world.holders(ref.path)
    }
    return notes + [path for path in world.paths if path in paths]


_NO_SYMBOLS = frozenset((StringAttr, IntegerAttr, FloatAttr, ParamAttr, GlobalAttr))


_known: WeakKeyDictionary[ObjectOp, tuple[DictionaryAttr, set[str]]]
_known = WeakKeyDictionary()
"""The symbols that the members of an object mention; objects rarely change."""


def _mentioned(op: Operation) -> set[str]:
    """The symbols that the attributes of an op mention."""
    if not isinstance(op, ObjectOp):
        return _names([*op.properties.values(), *op.attributes.values()])
    found = _known.get(op)
    if found is None or found[0] is not op.members:
        found = _known[op] = (op.members, _names([op.members]))
    return found[1] | _names([*op.attributes.values()])


def _names(stack: list[Attribute]) -> set[str]:
    """The symbols that attributes mention; uses up the list."""
    found: set[str] = set()
    while stack:
        one = stack.pop()
        # Not by `match`: that asks one class after another for each number.
        if type(one) in _NO_SYMBOLS:
            continue
        if isinstance(one, SymbolRefAttr):
            found.add(one.root_reference.data)
        elif isinstance(one, ArrayAttr):
            stack += cast(ArrayAttr[Attribute], one).data
        elif isinstance(one, DictionaryAttr):
            stack += one.data.values()
        elif isinstance(one, ParametrizedAttribute):
            stack += one.parameters
    return found
