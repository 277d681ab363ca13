"""Lists that functions of a recursion give, or are given to add to them.

Before                           After
------                           -----
dycl.local_function "f"(%n) {    dycl.local_function "f"(%n) {
  %l = dycl.list(%n)               %l = dycl.sequence(%n)
  dycl.local_return %l             dycl.local_return %l
}                                }
%y = dycl.local_call "f"(%x)     %y = dycl.local_call "f"(%x)
dycl.return %y                   dycl.return %y

A call gives a list if all that its function returns in that place are lists, where what
its calls inside give counts as one. What a call gives has no other name: its function
is left. A function gives back the lists that it is given to add to them
(`return_given`): behind a call, that is the list.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from dycl.ir import (
    BinaryOp,
    InplaceOp,
    ListOp,
    LocalCallOp,
    LocalFunctionOp,
    LocalReturnOp,
    SequenceType,
    UnboundOp,
)
from dycl.ir.dialect.local_functions import RETURNED, local_functions
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import forwarded_from
from dycl.ir.rewriting import insert_before, insert_constant, replace
from dycl.ir.walking import walk
from dycl.passes.lists.kinds import is_list
from dycl.passes.lists.writes import copied

_Place = tuple[LocalFunctionOp, int]


def returned_lists(entry: FuncOp) -> dict[SSAValue, list[SSAValue]]:
    """The results of local calls that are lists, and what returns give for each."""
    returned: dict[_Place, list[SSAValue]] = {}
    for function in local_functions(entry):
        for end in function.returns:
            for number, value in enumerate(end.values):
                returned.setdefault((function, number), []).append(value)
    lists = set(returned)
    while lost := {p for p in lists if not _are_lists(returned[p], lists)}:
        lists -= lost
    return {
        result: returned[place]
        for op in walk(entry)
        if isinstance(op, LocalCallOp)
        for number, result in enumerate(op.results)
        if (place := (op.function, number)) in lists
    }


def given_lists(entry: FuncOp) -> dict[SSAValue, list[SSAValue]]:
    """The parameters that are lists to add to, and what calls give for each."""
    given: dict[SSAValue, list[SSAValue]] = {}
    for op in walk(entry):
        if isinstance(op, LocalCallOp):
            for number in op.function.lists:
                param = op.function.params[number]
                given.setdefault(param, []).append(op.arguments[number])
    return given


def return_given(entry: FuncOp) -> None:
    """Give back the lists that functions add to, behind all other results.

    Not so of a function that is given what may be another list than one made here.
    """
    given = given_lists(entry)
    for function in [f for f in local_functions(entry) if f.lists]:
        lists = [function.params[number] for number in function.lists]
        values = [value for one in lists for value in given.get(one, ())]
        if RETURNED in function.attributes or not _are_own(values, given.keys()):
            continue
        function.attributes[RETURNED] = UnitAttr()
        calls = [o for o in walk(entry) if isinstance(o, LocalCallOp)]
        calls = [op for op in calls if op.function is function]
        for number in function.lists:
            _use_given(function, calls, number)
        for end in function.returns:
            replace(end, LocalReturnOp([*end.values, *lists]))
        for op in calls:
            types = [*op.result_types, *([VALUE] * len(lists))]
            new = LocalCallOp(op.label.data, op.arguments, types)
            new.attributes.update(op.attributes)
            insert_before(op, new)
            replace(op, new.results[: len(op.results)])


def _use_given(
    function: LocalFunctionOp, calls: Sequence[LocalCallOp], number: int
) -> None:
    """Where a function returns a list that it is given, its callers have that list."""
    param, ends = function.params[number], function.returns
    for place in range(len(ends[0].values) if ends else 0):
        inside: dict[SSAValue, SSAValue] = {
            op.results[place]: op.arguments[number] for op in calls
        }
        if not _are_names([end.values[place] for end in ends], param, inside):
            continue
        for result, given in inside.items():
            result.replace_all_uses_with(given)
        for end in ends:
            end.operands[place] = insert_constant(end, None)


def _are_names(
    values: Iterable[SSAValue], param: SSAValue, inside: Mapping[SSAValue, SSAValue]
) -> bool:
    """Whether values are a parameter, if those of `inside` are what they map to."""
    waiting, seen = list(values), {param}
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        sources = [inside[one]] if one in inside else forwarded_from(one)
        if not sources:
            return False
        waiting += sources
    return True


def _are_own(values: Iterable[SSAValue], params: Collection[SSAValue]) -> bool:
    """Whether values are lists that are made here, or parameters that are."""
    waiting, seen = list(values), set[SSAValue]()
    while waiting:
        one = waiting.pop()
        if one in seen or one in params or is_list(one):
            continue
        seen.add(one)
        if sources := forwarded_from(one):
            waiting += sources
        elif not isinstance(one.owner, LocalCallOp):
            return False
    return True


def given_back(op: LocalCallOp, given: SSAValue) -> SSAValue:
    """The list behind a call that adds to a list which it is given."""
    lists = op.function.lists
    place = [op.arguments[number] for number in lists].index(given)
    result = op.results[len(op.results) - len(lists) + place]
    result.name_hint = given.name_hint
    return result


def is_given_list(value: SSAValue, given_back: bool = False) -> bool:
    """Whether a value is a list that a function of a recursion is given to add to.

    With `given_back`, whether the function also gives it back (`return_given`).
    """
    owner = value.owner
    around = owner.parent_op() if isinstance(owner, Block) else None
    if not isinstance(around, LocalFunctionOp):
        return False
    lists = around.lists_returned if given_back else around.lists
    return any(around.params[number] is value for number in lists)


def is_returned(value: SSAValue) -> bool:
    """Whether a function of a recursion gives a value."""
    return any(isinstance(use.operation, LocalReturnOp) for use in value.uses)


def _are_lists(values: Iterable[SSAValue], lists: set[_Place]) -> bool:
    return all(_is_list(value, lists) for value in values)


def _is_list(value: SSAValue, lists: set[_Place]) -> bool:
    """Whether a value is a list, if those of `lists` are."""
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        one = waiting.pop()
        if one in seen or isinstance(one.type, SequenceType) or is_list(one):
            continue
        seen.add(one)
        owner = one.owner
        if isinstance(owner, (ListOp, UnboundOp)) or copied(owner) is not None:
            continue
        if isinstance(owner, LocalCallOp):
            if (owner.function, owner.results.index(one)) not in lists:
                return False
        elif isinstance(owner, (BinaryOp, InplaceOp)) and owner.kind_name == "add":
            waiting.append(owner.lhs)
        elif sources := forwarded_from(one):
            waiting += sources
        else:
            return False
    return True
