"""Which dicts are better two lists of a run than known dicts, one for each path.

`k` choices of a key give 2^k dicts with known keys, each with a copy of the program
behind it. `dycl-pair-dicts` makes two lists of them: as much code as there are choices.
That is no loss where the values are of one type, and where nothing else copies them.
"""

from collections.abc import Mapping
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.analysis.tensors.abstract import is_open
from dycl.analysis.tensors.demands import demands_of
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import DictOp, IfOp, ScopeOp, StoreSubscriptOp
from dycl.passes.dicts.keyed import keyed_calls, methods_read
from dycl.passes.dicts.tables import COUNTER, SET, Table, tables_of
from dycl.passes.dicts.uses import Pairs
from dycl.passes.lists.paths import item_type, ways_through


def tables_of_many_paths(
    entry: FuncOp,
    changed: Mapping[Operation, set[SSAValue]],
    inference: Inference,
    most: int,
) -> list[Table]:
    """The dicts and sets that have more than `most` contents by path, and can be lists.

    `changed` gives the forks that change dicts.
    """
    return [
        table
        for table in tables_of(entry)
        if _paths(table, changed, inference) > most and _loses_nothing(table, inference)
    ]


def asking(table: Table) -> list[Operation]:
    """The ops that make a table, or have it as an operand."""
    users = [use.operation for use in table.uses]
    return list(dict.fromkeys([*table.makers, *users]))


def _paths(
    table: Table, changed: Mapping[Operation, set[SSAValue]], inference: Inference
) -> int:
    """How many contents a table has, by the ways that lead there and its keys."""
    forks = [f for f, known in changed.items() if known & table.names.keys()]
    choices = demands_of(asking(table), inference).choices
    return ways_through(forks) * prod(map(_ways, choices))


def _ways(choice: SSAValue) -> int:
    owner = choice.owner
    return len(owner.exits) if isinstance(owner, (IfOp, ScopeOp)) else 2


def _loses_nothing(table: Table, inference: Inference) -> bool:
    """Whether no two values are known to be of different types, and lists will do.

    What is made of the dict's own entries is not known yet.
    """
    if table.kind in (COUNTER, SET):
        return True  # these are lists in any case
    given: list[SSAValue] = []
    for maker in table.makers:
        given += maker.operands[1::2] if isinstance(maker, DictOp) else ()
    for write in table.writes:
        if not isinstance(write, StoreSubscriptOp):
            return False
        given.append(write.value)
    known = [inference.of(value) for value in given]
    types = {item_type(value) for value in known if not is_open(value)}
    pairs, asked = Pairs(table, {}), {*methods_read(table), *keyed_calls(table)}
    return (
        len(types) <= 1
        and None not in types
        and all(
            use.operation in asked or pairs.how(use, name) is not None
            for name in table.names
            for use in name.uses
        )
    )
