"""`dycl-eliminate-dead-code`: removes what no result of the network needs.

Before                           After
------                           -----
%u = dycl.call %relu(%x)         %a = dycl.if %p -> (T) {
%a, %b = dycl.if %p -> (T, T) {    dycl.yield %x
  dycl.yield %x, %y              } else {
} else {                           dycl.yield %y
  dycl.yield %y, %x              }
}                                dycl.return %a
dycl.return %a

Needs:  nothing; runs on every level before `host`.
Leaves: no pure op, no result of an `if`, no carried value of a loop without a user,
        or with users that only hand it around among nested loops; nothing behind an op
        that never falls through, such as a loop without an end; only the functions,
        kernels and objects that the entry function leads to, and objects that hold a
        buffer which it writes to.
Skips:  ops that may do more than give results: calls of unknown functions, updates in
        place, exits; in a `try`, all but constants; a `host.func`, where each value has
        memory. Without an entry function all functions and objects stay.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ModuleOp,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import (
    Block,
    Operation,
    Use,
)
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from dycl.analysis.control.idle import idle_results
from dycl.analysis.manager import environment_of
from dycl.analysis.memory.effects import is_effect_free, is_removable
from dycl.analysis.memory.mutation import changed_values
from dycl.ir import (
    CallOp,
    ConstantOp,
    FormatOp,
    ForOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    ScopeOp,
    SetattrOp,
    SubscriptOp,
    TryOp,
    UnboundOp,
    UnreachableOp,
    WhileOp,
    host,
)
from dycl.ir.attributes import ParamAttr
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.datatypes import datatypes_of
from dycl.ir.dialect.model import symbol_ops
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator
from dycl.ir.mentions import mentioned
from dycl.ir.rewriting import (
    append,
    erase,
    erase_from,
    insert_after,
    insert_before,
    keep_results,
)
from dycl.ir.values import ParamRef, from_attr
from dycl.ir.walking import walk


@dataclass(frozen=True)
class EliminateDeadCodePass(ModulePass):
    """Removes what no result of the network needs."""

    name = "dycl-eliminate-dead-code"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Remove dead code; raises nothing."""
        environment = environment_of(ctx, op)
        for function in list(op.body.ops):
            if isinstance(function, host.FuncOp):
                continue
            for region in function.regions:
                for block in region.blocks:
                    _remove_unreachable(block)
                    _clean(block, environment)
            if _forget_idle(function):
                _clean_regions(function, environment)
        _remove_symbols(op, environment)


def _remove_unreachable(block: Block) -> None:
    """Cut blocks off behind an `if` or a loop that nothing falls out of."""
    for op in list(block.ops):
        for region in op.regions:
            _remove_unreachable(region.block)
        ends = isinstance(op, (IfOp, TryOp, WhileOp)) and not _falls_through(op)
        if ends and op.next_op is not None:
            if isinstance(op.next_op, UnreachableOp):
                return
            erase_from(op.next_op)
            append(block, UnreachableOp(), source=op)
            return


def _falls_through(op: IfOp | TryOp | WhileOp) -> bool:
    if isinstance(op, WhileOp):
        return constant_value(op.condition.condition) is not True or bool(op.breaks)
    return bool(op.exits)


def _clean(block: Block, environment: Environment) -> None:
    """From the last op to the first: users are gone before what they use is seen."""
    if isinstance(block.parent_op(), TryOp):
        # What fails in a body is seen, also where its result is not used.
        for op in [inner for inner in walk(block) if inner.regions]:
            _drop_results(op)
        # Constants do not fail; passes that run again leave more of them each time.
        for op in [inner for inner in walk(block) if isinstance(inner, ConstantOp)]:
            if not op.result.uses and constant_value(op.result) is not MISSING:
                erase(op)
        return
    op = block.last_op
    while op is not None:
        before = op.prev_op
        if op.regions:
            if isinstance(op, WhileOp):
                _clean_regions(
                    op, environment
                )  # what it reads tells what it must carry
                _unbind_results(op)
                _forget_at_breaks(op)
                _clean_regions(op, environment)
            op = _drop_results(op)
            _clean_regions(op, environment)
        used = any(result.uses for result in op.results)
        if not used and (is_removable(op, environment) or _is_dead_control(op)):
            erase(op)
        op = before


def _clean_regions(op: Operation, environment: Environment) -> None:
    for region in reversed(op.regions):
        for inner in reversed(region.blocks):
            _clean(inner, environment)


def _forget_idle(function: Operation) -> bool:
    """Cut off what ops in loops hand to each other, in a circle, for nobody to read."""
    idle = idle_results(function)
    for value in idle:
        unbound = UnboundOp(value.name_hint or "it", value.type)
        insert_after(value.op, unbound)
        value.replace_all_uses_with(unbound.result)
    return bool(idle)


def _is_dead_control(op: Operation) -> bool:
    """Whether an `if`, a scope or a `for` is left that does nothing."""
    if isinstance(op, IfOp):
        blocks = [region.block for region in op.regions]
        ends = [op.end_of(block) for block in blocks]
        return None not in ends and ends == [block.first_op for block in blocks]
    return isinstance(op, (ScopeOp, ForOp)) and is_effect_free(op)


def _drop_results(op: Operation) -> Operation:
    """The op without its unused results; a new op if there are any."""
    if not isinstance(op, RegionBranchOp):
        return op
    unused = [i for i, result in enumerate(op.results) if not result.uses]
    dead = _unread(op, unused)
    if not dead:
        return op
    return keep_results(op, [i for i in range(len(op.results)) if i not in dead])


def _unread(op: RegionBranchOp, unused: list[int]) -> set[int]:
    """Of these values those that regions only hand to each other, never read.

    They may be forwarded in the place of one another.
    """
    dead = set(unused)
    if not op.entered:
        return dead
    terminators: set[Operation] = set(op.terminators)

    def is_read(number: int) -> bool:
        return any(
            use.operation not in terminators or dead.isdisjoint(_numbers(use))
            for block in op.entered
            for use in op.arguments(block)[number].uses
        )

    while read := {number for number in dead if is_read(number)}:
        dead -= read
    return dead


def _is_idle(op: WhileOp, index: int) -> bool:
    """Whether a loop hands a carried value on, iteration after iteration, unread."""
    ends: set[Operation] = {op.condition, *op.back_edges}
    return all(
        use.operation in ends and index in _numbers(use)
        for block in op.entered
        for use in op.arguments(block)[index].uses
    )


def _numbers(use: Use) -> tuple[int, ...]:
    """As which of its values a terminator forwards what it uses, if it does."""
    operation = use.operation
    if (
        not isinstance(operation, RegionTerminator)
        or use.index < operation.FORWARDED_FROM
    ):
        return ()
    return (use.index - operation.FORWARDED_FROM,)


def _unbind_results(op: WhileOp) -> None:
    """What only a `break` of a `while True` gives is not carried up to there."""
    if constant_value(op.condition.condition) is True:
        for i, result in enumerate(op.results):
            if result.uses and _is_idle(op, i):
                _unbind(op, i)


def _forget_at_breaks(op: WhileOp) -> None:
    """What nobody asks for behind a loop leaves it as the iteration was given it.

    A `break` may stand where the name has a value of another type.
    """
    args = op.body.block.args
    for end in op.breaks:
        for i, result in enumerate(op.results):
            if not result.uses and end.operands[i] is not args[i]:
                end.operands[i] = args[i]


def _unbind(op: WhileOp, index: int) -> None:
    users = [(op, index), *((back_edge, index) for back_edge in op.back_edges)]
    arg = op.before.block.args[index]
    for user, position in users:
        if isinstance(user.operands[position].owner, UnboundOp):
            continue
        unbound = UnboundOp(op.results[index].name_hint or "it", arg.type)
        insert_before(user, unbound)
        user.operands[position] = unbound.result


def _remove_symbols(module: ModuleOp, environment: Environment) -> None:
    """Remove functions and objects that the entry function does not lead to."""
    entry = entry_function(module)
    if entry is None:
        return
    symbols = symbol_ops(module)
    reached = {entry.sym_name.data}
    todo: list[Operation] = [entry]
    for path in (*_holders_of_written(entry, environment), *_node_classes(entry)):
        if path in symbols:
            reached.add(path)
            todo.append(symbols[path])
    while todo:
        for op in walk(todo.pop()):
            for name in mentioned(op) - reached:
                reached.add(name)
                if name in symbols:
                    todo.append(symbols[name])
    for name, op in symbols.items():
        if name not in reached:
            Rewriter.erase_op(op, safe_erase=False)


def _node_classes(entry: FuncOp) -> list[str]:
    """The classes of nodes, and members of enums, while an op may ask for theirs."""
    asks = (CallOp, FormatOp, GetattrOp, InvokeOp, SubscriptOp)
    if not any(isinstance(op, asks) for op in walk(entry)):
        return []
    datatypes = datatypes_of(entry).values()
    names = [name for one in datatypes for name in one.constructors]
    return [*names, *(f"class {name}" for name in names)]


def _holders_of_written(entry: FuncOp, environment: Environment) -> list[str]:
    """The objects that hold a buffer which is written to: that will be their state."""
    # Which parameters overlap is written at the model itself.
    notes = (
        [""]
        if "" in environment.paths and "__overlapping__" in environment.members("")
        else []
    )
    constants = [
        op
        for op in walk(entry)
        if isinstance(op, ConstantOp) and isinstance(op.value, ParamAttr)
    ]
    if not constants:
        return notes
    changed = changed_values(entry.body.block, environment)
    written = [
        from_attr(op.value)
        for op in constants
        if op.result in changed or any(map(_sets_data, op.result.uses))
    ]
    paths = {
        path
        for ref in written
        if isinstance(ref, ParamRef)
        for path, _ in environment.holders(ref.path)
    }
    return notes + [path for path in environment.paths if path in paths]


def _sets_data(use: Use) -> bool:
    """`weight.data = v`."""
    op = use.operation
    return isinstance(op, SetattrOp) and use.index == 0 and op.attribute.data == "data"
