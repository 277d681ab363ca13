"""`dycl-order-sets`: a loop over a set, where no answer depends on the order.

Before                      After
------                      -----
dycl.for %k in %kinds {     %1 = dycl.constant "b"
  %y = dycl.call %f(%x, %k) %2 = dycl.constant "a"
}                           %3 = dycl.tuple(%1, %2)
dycl.return %x              dycl.for %k in %3 {
                              %y = dycl.call %f(%x, %k)
                            }
                            dycl.return %x

In which order Python goes over texts differs from process to process. So each order is
tried, with each order of the other such loops: the program is set aside, the loops go
over tuples, and the rounds of `normalise` go on. If all lead to one program
(`program_key`), none can be told from another, and the last one stays. If not, the
program is put back, and the loops are refused.

Needs:  the rounds are over; all that the loop calls is inlined when they are again.
Leaves: no loop that is not settled one way or the other, when it changes nothing.
Skips:  sets of more than three items, or of others than texts or ints; loops that have
        more than twelve orders, all together; a program of which another pass has set
        aside what it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial, prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from dycl.analysis.control.program_key import program_key
from dycl.analysis.folding.iteration import unordered_items
from dycl.analysis.manager import environment_of
from dycl.diag import CompileError, SourceLoc, remark
from dycl.ir import ForOp, TupleOp
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function, function_named_by
from dycl.ir.rewriting import insert_constant, insert_value
from dycl.ir.set_aside import forget, names_set_aside, put_back, set_aside
from dycl.ir.walking import walk
from dycl.passes.checks.causes import OF_SET

_BEFORE = "dycl.unordered"
"""On the entry function: the program from before an order was tried."""
_TRIED = "dycl.order"
"""On the entry function: the number of what is tried, and the first one's key."""
_REFUSED = "dycl.ordered"
"""On a loop: its order counts."""
_MOST = 12
"""So many programs are tried: three items have six orders, two loops of two have four.
"""
_Loop = tuple[ForOp, Sequence[object]]


@dataclass(frozen=True)
class OrderSetsPass(ModulePass):
    """A loop over a set, where no answer depends on the order."""

    name = "dycl-order-sets"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Try orders of the loops, or judge the last ones; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        environment = environment_of(ctx, op)
        if _TRIED in entry.attributes:
            _judge(op, entry, environment)
        elif not names_set_aside(entry):
            loops = _loops(entry, environment)
            if loops:
                set_aside(op, entry, _BEFORE)
                _try(entry, loops, 0, "")


def unsettled(
    module: ModuleOp, entry: FuncOp, environment: Environment
) -> dict[object, CompileError]:
    """Refusals of the loops of which an order is tried and not judged."""
    before = function_named_by(module, entry, _BEFORE)
    loops = [] if before is None else _loops(before, environment)
    code, what, hint = OF_SET
    return {
        loop: CompileError(code, what, SourceLoc.of(loop), hint=hint)
        for loop, _ in loops
    }


def _loops(entry: FuncOp, environment: Environment) -> list[_Loop]:
    """The loops over sets whose order may not count, and their items.

    As many as have no more orders, all together, than are tried.
    """
    found: list[_Loop] = []
    for op in walk(entry):
        if not isinstance(op, ForOp) or _REFUSED in op.attributes:
            continue
        items = unordered_items(op.iterable, environment)
        if items is None:
            continue
        if _count([*found, (op, items)]) <= _MOST:
            found.append((op, items))
        else:
            remark(op, "no order chosen", f"a set of {len(items)} items has too many")
    return found


def _count(loops: list[_Loop]) -> int:
    """How many orders loops have, all together."""
    return prod(factorial(len(items)) for _, items in loops)


def _try(entry: FuncOp, loops: list[_Loop], number: int, key: str) -> None:
    """Let each loop go over its items in one of their orders, the given one last."""
    orders = [*product(*(permutations(items) for _, items in loops))][-1 - number]
    for (loop, _), order in zip(loops, orders, strict=True):
        constants = [insert_constant(loop, item) for item in order]
        loop.operands[0] = insert_value(loop, TupleOp(constants))
    entry.attributes[_TRIED] = StringAttr(f"{number} {key}".strip())


def _judge(module: ModuleOp, entry: FuncOp, environment: Environment) -> None:
    """Keep the program, where these were the last orders; else go on, or refuse."""
    tried = entry.attributes.pop(_TRIED)
    before = function_named_by(module, entry, _BEFORE)
    assert isinstance(tried, StringAttr)
    assert before is not None
    number, *first = tried.data.split()
    is_last = int(number) + 1 == _count(_loops(before, environment))
    key = program_key(entry, environment)
    is_same = key is not None and first in ([], [key])
    others = [name for name in names_set_aside(entry) if name != _BEFORE]
    if is_same and not others and is_last:
        forget(module, entry, _BEFORE)
        return
    put_back(module, entry, _BEFORE)
    for name in others:  # it may be put back, and has one of the orders
        forget(module, entry, name)
    loops = _loops(entry, environment)
    if key is not None and is_same and not others:
        set_aside(module, entry, _BEFORE)
        _try(entry, loops, int(number) + 1, key)
        return
    for loop, _ in loops:
        loop.attributes[_REFUSED] = UnitAttr()
        remark(loop, "no order chosen", "what it does depends on the order")
