"""Local functions that give None on some paths: they say whether they give something.

Before                           After
------                           -----
dycl.local_function "f"(%a) {    dycl.local_function "f"(%a) {
  %p = dycl.to_bool %a             %p = dycl.to_bool %a
  dycl.if %p {                     dycl.if %p {
    %t = dycl.unary neg %a           %t = dycl.unary neg %a
    dycl.local_return %t             %yes = dycl.constant true
  }                                  dycl.local_return %yes, %t
  %n = dycl.constant #dycl.none    }
  dycl.local_return %n             %n = dycl.constant #dycl.none
}                                  %no = dycl.constant false
%y = dycl.local_call "f"(%x)       %u = dycl.unbound ""
dycl.return %y                     dycl.local_return %no, %u
                                 } {or_none}
                                 %q, %v = dycl.local_call "f"(%x) : (!dycl.value) -> (!dycl.value, !dycl.value)
                                 %y = dycl.if %q -> (!dycl.value) {
                                   dycl.yield %v
                                 } else {
                                   %m = dycl.constant #dycl.none
                                   dycl.yield %m
                                 }
                                 dycl.return %y

So behind a call an `if` gives the value or None, and `y is None` is decided by it. A
path that may give either, as `return self.find(node.left)` does, asks which. Not so
where a function may give a node: None is one (`dycl.ir.datatypes`).
"""  # noqa: E501

from collections.abc import Callable, Iterable, Iterator

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    LocalCallOp,
    LocalFunctionOp,
    LocalReturnOp,
    NodeType,
    SelectOp,
    SubscriptOp,
    UnboundOp,
    YieldOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import forwarded_from
from dycl.ir.rewriting import (
    append,
    insert_before,
    insert_constant,
    insert_value,
    replace,
)
from dycl.ir.torch import VTensorType
from dycl.ir.values import to_attr
from dycl.ir.walking import walk
from dycl.passes.calls.recursion import RECURSION

_OR_NONE = "or_none"
"""Attribute of a local function: its first result says whether it gives something."""


def says_whether(function: LocalFunctionOp) -> bool:
    """Whether the first result of a function says whether it gives something."""
    return _OR_NONE in function.attributes


def or_none(
    anchor: Operation, is_there: SSAValue, value: Callable[[Operation], SSAValue]
) -> SSAValue:
    """What a call of such a function gives, in front of an op: a value or None.

    `value` gives the value in front of another op: there it is there.
    """
    sides = Block(), Block()
    none, end = ConstantOp(to_attr(None)), YieldOp([])
    append(sides[0], end, source=anchor)
    end.forward([value(end)])
    append(sides[1], none, YieldOp([none.result]), source=anchor)
    texts = {"test": to_attr("the call gives something")}
    choice = IfOp(is_there, [VALUE], Region(sides[0]), Region(sides[1]), texts)
    return insert_value(anchor, choice)


def return_whether(entry: FuncOp, function: LocalFunctionOp) -> None:
    """Let a function say whether it gives something, if some paths give None, and
    others what is no node."""
    ends = function.returns
    if says_whether(function) or any(len(end.values) != 1 for end in ends):
        return
    values = [source for end in ends for source in _sources(end.values[0])]
    others = [one for one in values if not _is_none(one) and not _is_own(one, function)]
    if len(others) == len(values) or not others or any(map(_may_be_node, others)):
        return
    if not any(map(_is_none, values)):
        return
    function.attributes[_OR_NONE] = UnitAttr()
    for call in [o for o in walk(entry) if isinstance(o, LocalCallOp)]:
        if call.function is function:
            new = LocalCallOp(call.label.data, call.arguments, [VALUE, VALUE])
            insert_before(call, new)
            given = new.results[1]
            value = or_none(call, new.results[0], lambda _, given=given: given)
            replace(call, [value])
    for end in ends:
        _say(end, end.values[0])


def _say(end: LocalReturnOp, value: SSAValue) -> None:
    """Put in the place of a return one that says whether it gives something."""
    if _is_none(value):
        replace(end, _nothing(end))
        return
    if any(map(_may_be_none, _sources(value))):
        test = insert_value(end, CompareOp("is", value, insert_constant(end, None)))
        fails, goes_on = Block(), Block()
        append(fails, YieldOp([]), source=end)
        append(goes_on, YieldOp([]), source=end)
        texts = {"test": to_attr("the call gives nothing")}
        branch = IfOp(test, [], Region(fails), Region(goes_on), texts)
        insert_before(end, branch)
        last = fails.last_op
        assert last is not None
        replace(last, _nothing(last))
    replace(end, LocalReturnOp([insert_constant(end, True), value]))


def _nothing(anchor: Operation) -> LocalReturnOp:
    """The return of nothing, where an op stands."""
    no_value = insert_value(anchor, UnboundOp(""))
    return LocalReturnOp([insert_constant(anchor, False), no_value])


def _sources(value: SSAValue) -> Iterator[SSAValue]:
    """What a value may be, through branches."""
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        sources: Iterable[SSAValue] = forwarded_from(one)
        if isinstance(one.owner, SelectOp):
            sources = (one.owner.if_true, one.owner.if_false)
        if not sources:
            yield one
        waiting += sources


def _is_none(value: SSAValue) -> bool:
    return constant_value(value) is None


def _is_own(value: SSAValue, function: LocalFunctionOp) -> bool:
    """Whether a value is what a call of a function gives, or one that waits."""
    owner = value.owner
    if isinstance(owner, LocalCallOp):
        return owner.function is function
    return _waits(value)


def _waits(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and RECURSION in value.owner.attributes


def _may_be_none(value: SSAValue) -> bool:
    is_read = isinstance(value.owner, GetattrOp) and value.type == VALUE
    return is_read or _is_none(value) or _waits(value)


_TAKES = ("get", "pop", "popitem", "popleft", "setdefault")


def _may_be_node(value: SSAValue) -> bool:
    """Whether a value may be a node, as far as is known by now."""
    if value.type != VALUE:
        return isinstance(value.type, NodeType)
    match value.owner:
        case InvokeOp() as op:
            return op.method.data in _TAKES
        case SubscriptOp() as op:
            return not _is_of_torch(op.operands[0])
        case Block() | LocalCallOp():
            return True
        case _:
            return False


def _is_of_torch(value: SSAValue) -> bool:
    """Whether a value is a tensor, or what a function of torch's gives."""
    if isinstance(value.owner, CallOp):
        name = constant_name(value.owner.callee) or ""
        return name.startswith("torch.")
    return isinstance(value.type, VTensorType)
