"""`dycl-forward-lists`: a list that a branch or scope forwards is forwarded as a tuple.

Before                        After
------                        -----
%r = dycl.scope "f" -> (T) {  %r = dycl.scope "f" -> (T) {
  %l = dycl.list(%a)            %l = dycl.list(%a)
  dycl.leave "f" %l             %t = dycl.call %tuple(%l)
}                               dycl.leave "f" %t
dycl.return %r                }
                              %s = dycl.call %list(%r)
                              dycl.return %s

This is right only if nobody could tell: each list that is forwarded has no other name
from there on. Tuples are joined item by item (`dycl-split-tuples`); for lists that are
reached through two names this would be wrong.

Needs:  nothing. Best before `dycl-scalarize-aggregates`, which makes the calls
        `dycl.tuple` and `dycl.list`.
Leaves: no list without an alias as a result of an `if` or scope.
Skips:  the list that all paths have from before the op; lists of a length that the run
        decides, which no tuple takes apart: `dycl-carry-lists` carries them; lists with
        another name from there on, in a variable, in another list, or with a function
        that may keep it: a remark says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir import (
    IfOp,
    ScopeOp,
    SequenceType,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.rewriting import insert_after, insert_before, retype
from dycl.ir.walking import walk
from dycl.passes.aggregates.uses import (
    extended,
)
from dycl.passes.lists.one_name import called, has_one_name, is_list


@dataclass(frozen=True)
class ForwardListsPass(ModulePass):
    """A list that a branch or scope forwards is forwarded as a tuple."""

    name = "dycl-forward-lists"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the entry function, inner ops first; raises nothing."""
        entry = entry_function(op)
        all_ops = [] if entry is None else list(walk(entry))
        for branch in reversed([o for o in all_ops if isinstance(o, (IfOp, ScopeOp))]):
            exits = branch.exits
            for index, result in enumerate(branch.results):
                if result.uses and exits and _may_forward(branch, index, exits):
                    _forward(branch, index, exits)


def _may_forward(op: Operation, index: int, ends: Sequence[Operation]) -> bool:
    values = [end.operands[index] for end in ends]
    is_same = all(v is values[0] and _is_before(v, op) for v in values)
    if is_same or not all(map(is_list, values)):
        return False
    if any(isinstance(v.type, SequenceType) for v in values):
        return False
    if not all(has_one_name(v, op, ends) for v in values):
        remark(op, "a list was not forwarded as a tuple", "it has another name")
        return False
    return True


def _is_before(value: SSAValue, op: Operation) -> bool:
    owner = extended(value).owner
    return isinstance(owner, Operation) and not op.is_ancestor(owner)


def _forward(op: IfOp | ScopeOp, index: int, ends: Sequence[RegionTerminator]) -> None:
    for end in ends:
        value = end.operands[index]
        whole = called("builtins.tuple", value)
        insert_before(end, *whole)
        whole[1].result.name_hint = value.name_hint
        end.operands[index] = whole[1].result
    result = op.results[index]
    retype(result, VALUE)
    result = op.results[index]
    back = called("builtins.list", result)
    insert_after(op, *back)
    back[1].result.name_hint = result.name_hint
    result.replace_uses_with_if(
        back[1].result, lambda use: use.operation is not back[1]
    )
