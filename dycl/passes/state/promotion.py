"""Accesses to state become values, and every return gives the state.

Before                            After
------                            -----
dycl.setattr %self "count", %one  %0 = dycl.tuple(%one)
dycl.return %y                    %1 = dycl.tuple(%y, %0)
                                  dycl.return %1
"""

from xdsl.dialects.builtin import ArrayAttr, FunctionType, StringAttr
from xdsl.dialects.func import FuncOp

from dycl.ir import ReturnOp, TupleOp, UnboundOp
from dycl.ir.cloning import clone
from dycl.ir.rewriting import insert_before
from dycl.ir.state import STATE, State
from dycl.passes.state.attributes import Key, Promotion, Values
from dycl.passes.state.sizes import name_sizes, open_name

TEMPLATE = "dycl.template"
"""On an entry function that is not closed: the function with its accesses to state."""


def promote(function: FuncOp, keys: list[Key], start: Values) -> None:
    """Replace all accesses by values; returns give the state beside the output."""

    def at_return(end: ReturnOp, now: Values) -> None:
        state = TupleOp([now[k] for k in keys])
        both = TupleOp([*end.values, state.result])
        insert_before(end, state, both)
        end.operands = [both.result]

    Promotion(keys, at_return).block(function.body.block, dict(start))


def restored(function: FuncOp, keys: list[Key]) -> list[Key]:
    """The attributes that are at every return what they were at the beginning."""
    if not keys:
        return []
    trial = clone(function)
    start: Values = {key: UnboundOp(key[1]).result for key in keys}
    result = list(keys)

    def at_return(end: ReturnOp, now: Values) -> None:
        result[:] = [key for key in result if now[key] is start[key]]

    Promotion(keys, at_return).block(trial.body.block, dict(start))
    return result


def set_state(entry: FuncOp, state: State) -> None:
    """Write the attributes, the names of the arguments, and the function's type."""
    entry.attributes[STATE] = state.to_attr()
    block = entry.body.block
    names = entry.attributes["dycl.params"]
    assert isinstance(names, ArrayAttr)
    taken = [n.data for n in names if isinstance(n, StringAttr)]
    for argument in block.args[len(names) :]:
        stem = wanted = open_name(state, argument) or argument.name_hint or "state"
        count = 1
        while wanted in taken:
            wanted, count = f"{stem}_{count}", count + 1
        taken.append(wanted)
    entry.attributes["dycl.params"] = ArrayAttr(map(StringAttr, taken))
    name_sizes(entry, state)
    types = [a.type for a in block.args]
    entry.function_type = FunctionType.from_lists(types, [])
