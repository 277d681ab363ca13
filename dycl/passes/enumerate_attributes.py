"""`dycl-enumerate-attributes`: an attribute that is one of a few things is asked which.

Before                         After
------                         -----
%f = dycl.getattr %self "h"    %f = dycl.getattr %self "h"
%y = dycl.call %f(%x)          %p = dycl.compare is %f, %none {dycl.which}
dycl.setattr %self "h", %conv  %g = dycl.if %p -> (T) {
dycl.return %y                   dycl.setattr %self "h", %none
                                 dycl.yield %none
                               } else {
                                 %q = dycl.compare is %f, %conv {dycl.which}
                                 %c = dycl.if %q -> (T) {
                                   dycl.setattr %self "h", %conv
                                   dycl.yield %conv
                                 } else {
                                   %t = dycl.constant "`h` is of no known kind"
                                   dycl.raise "builtins.RuntimeError"(%t)
                                     {dycl.unlisted = "h"}
                                 }
                                 dycl.yield %c
                               }
                               %y = dycl.call %g(%x)
                               dycl.setattr %self "h", %conv
                               dycl.return %y

What the model holds at first and what its functions set is all that the attribute can
be. Where that is modules and other constants, each goes its own way from here
(`dycl-specialize-joins`), so what it calls is known. In each kind of state the
attribute is a constant (`dycl-lift-state`), and the choice is none any more. So
is an object that the network makes and keeps, if it is the same each time
(`dycl-promote-objects`).

Needs:  that nothing else is left to find out: what is set is known by then.
Leaves: no such attribute whose methods are called, or whose attributes are read.
Skips:  attributes that may be numbers, tensors or lists, and those that are not modules
        or objects in any case. An object that the network makes and keeps, and that
        is not the same each time, is refused.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.passes import ModulePass

from dycl.analysis.manager import environment_of
from dycl.diag import remark
from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    ForOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    RaiseOp,
    SetattrOp,
    SubscriptOp,
    UnpackOp,
    YieldOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import forwarded_from
from dycl.ir.objects import full_name
from dycl.ir.rewriting import insert_after
from dycl.ir.semantics import WHICH
from dycl.ir.values import ObjectRef, to_attr
from dycl.ir.walking import walk
from dycl.passes.objects.kept import refuse_kept
from dycl.passes.state.attributes import Key, key_of
from dycl.passes.state.no_value import has_none
from dycl.passes.state.readiness import first_unsettled

UNLISTED = "dycl.unlisted"
"""On a `dycl.raise`: a state gets here that no kind of it is."""
_Choice = ObjectRef | str | None


@dataclass(frozen=True)
class EnumerateAttributesPass(ModulePass):
    """An attribute that is one of a few things is asked which it is."""

    name = "dycl-enumerate-attributes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function and what is kept; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        ops = list(walk(entry))
        writes = [o for o in ops if isinstance(o, SetattrOp)]
        if not writes:
            return
        environment = environment_of(ctx, op)
        seen: set[Key] = set()
        for read in ops:
            key = key_of(read)
            if key is None or key in seen or not isinstance(read, GetattrOp):
                continue
            wanted = [use for use in read.result.uses if _wants_object(use)]
            if not wanted or not environment.changes(*key):
                continue
            choices = _Choices(writes, environment).of(key)
            if choices is None:
                remark(read, "not enumerated", "it may be more than modules and texts")
            elif any(isinstance(choice, ObjectRef) for choice in choices):
                seen.add(key)  # The next read may be known by then.
                _choose(read, key, list(choices))
        if not seen and first_unsettled(entry, environment) is None:
            refuse_kept(entry, environment)


class _Choices:
    """What attributes may be, as far as all that is set says it."""

    def __init__(self, writes: list[SetattrOp], environment: Environment):
        self.writes = writes
        self.environment = environment
        self._asked: set[Key] = set()

    def of(self, key: Key) -> dict[_Choice, None] | None:
        """In order; None: it may be something else."""
        path, name = key
        if path in self.environment.made:
            return None
        members = self.environment.members(path)
        result: dict[_Choice, None] = {}
        self._asked.add(key)
        is_lacking = has_none(key, self.environment)  # then reading it raises
        if not is_lacking and not self._add(members.get(name, MISSING), result):
            return None
        for write in self.writes:
            where = key_of(write)
            if where is None and write.attribute.data == name:
                return None  # It may be this object's.
            if where == key and not self._add_from(write.value, result):
                return None
        return result

    def _add_from(self, value: SSAValue, result: dict[_Choice, None]) -> bool:
        """Add what a value may be; whether all of that is known."""
        constant = constant_value(value)
        if constant is not MISSING:
            return self._add(constant, result)
        if isinstance(value.owner, GetattrOp):
            key = key_of(value.owner)
            if key in self._asked:
                return True
            found = None if key is None else self.of(key)
            result.update(found or {})
            return found is not None
        sources = forwarded_from(value)
        return bool(sources) and all(self._add_from(v, result) for v in sources)

    def _add(self, constant: object, result: dict[_Choice, None]) -> bool:
        if not isinstance(constant, ObjectRef | str | None):
            return False
        if isinstance(constant, ObjectRef) and constant.path in self.environment.made:
            return False
        result[constant] = None
        return True


def _wants_object(use: Use) -> bool:
    """Whether an op has to know which object it is given."""
    return use.index == 0 and isinstance(use.operation, _ASKING)


_ASKING: tuple[type[Operation], ...] = (
    *(CallOp, ForOp, GetattrOp, InvokeOp, SetattrOp, SubscriptOp, UnpackOp),
)


def _choose(read: GetattrOp, key: Key, choices: list[_Choice]) -> None:
    """Hand on one of the choices instead of what is read.

    Each side sets what the attribute is, so that what reads it there knows it.
    """
    uses = list(read.result.uses)
    ops: list[Operation] = _unlisted(key)
    for choice in reversed(choices):
        otherwise = Block(ops)
        if isinstance(ops[-1], IfOp):
            otherwise.add_op(YieldOp(ops[-1].results))
        ops = _asked(read, choice, otherwise)
    insert_after(read, *ops)
    chosen = ops[-1].results[0]
    chosen.name_hint = read.result.name_hint
    for use in uses:
        use.operation.operands[use.index] = chosen


def _unlisted(key: Key) -> list[Operation]:
    """The end of a run that finds something else, which `dycl-lift-state` excludes."""
    words = ConstantOp(to_attr(f"`{full_name(*key)}` is of no known kind"))
    end = RaiseOp("builtins.RuntimeError", [words.result])
    end.attributes[UNLISTED] = StringAttr(full_name(*key))
    return [words, end]


def _asked(read: GetattrOp, choice: _Choice, otherwise: Block) -> list[Operation]:
    """Whether the attribute is this one; the last op gives what is chosen."""
    wanted, here = (ConstantOp(to_attr(choice)) for _ in range(2))
    kind = "eq" if isinstance(choice, str) else "is"
    question = CompareOp(kind, read.result, wanted.result)
    question.attributes[WHICH] = UnitAttr()
    name = read.attribute.data
    write = SetattrOp(read.operand, name, here.result)
    then = Block([here, write, YieldOp([here.result])])
    words = f"@{choice.path}" if isinstance(choice, ObjectRef) else repr(choice)
    test: dict[str, Attribute] = {"test": StringAttr(f"self.{name} is {words}")}
    branch = IfOp(question.result, [VALUE], Region(then), Region(otherwise), test)
    return [wanted, question, branch]
