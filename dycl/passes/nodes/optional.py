"""What Python says of None: a field that may be None is compared, or its truth asked.

Before                            After
------                            -----
%w = dycl.getattr %node "word"    %h = dycl.has_field %node "word"
%p = dycl.compare eq %w, %x       %p = dycl.if %h -> (!dycl.value) {
dycl.return %p                      %w = dycl.field %node "word"
                                    %q = dycl.compare eq %w, %x
                                    dycl.yield %q
                                  } else {
                                    %none = dycl.constant #dycl.none
                                    %r = dycl.compare eq %none, %x
                                    dycl.yield %r
                                  }
                                  dycl.return %p

None equals no text and no number, is in no list of them, is false, is looked up in a
dict, and is written as "None". Elsewhere, as in `node.word + 1`, it raises.

Where such a field is returned, or is what one side of an `if` gives, so is None
(`either`). Where other paths of a recursion give something, it is not.
"""

from xdsl.ir import Block, Operation, Region, SSAValue, Use

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    FieldOp,
    FormatOp,
    GetattrOp,
    HasFieldOp,
    IfOp,
    InvokeOp,
    LocalCallOp,
    LocalReturnOp,
    ReturnOp,
    SelectOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
    YieldOp,
)
from dycl.ir.cloning import clone
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.rewriting import append, insert_value, replace
from dycl.ir.torch import BoolT, FloatT, IntT, OptionalType, StrT, VTensorType
from dycl.ir.values import to_attr

_PLAIN = (BoolT, FloatT, IntT, StrT)
_WITH_NONE = ("eq", "ne", "in", "not_in", "is", "is_not")
_CALLS = ("builtins.bool", "builtins.repr", "builtins.str")


def takes_none(op: Operation, kind: OptionalType) -> bool:
    """Whether an op gives something where a field of this type is None."""
    if isinstance(op, CallOp) and constant_name(op.callee) == "builtins.isinstance":
        return True
    if isinstance(kind.element, VTensorType) and isinstance(op, CompareOp):
        return op.kind_name in ("eq", "ne") and not _asks_elements(op)
    if kind.element not in _PLAIN:
        return False
    match op:
        case CompareOp():
            return op.kind_name in _WITH_NONE
        case UnaryOp():
            return op.kind_name == "not"
        case CallOp():
            return constant_name(op.callee) in _CALLS
        case InvokeOp():
            return op.method.data in ("format", "get")
        case _:
            return isinstance(op, (FormatOp, ToBoolOp))


def _asks_elements(op: CompareOp) -> bool:
    """Whether all that is done with a comparison raises if it is no tensor's, but False
    or True, as `(node.value == x).all()` does."""
    uses = [use.operation for use in op.result.uses]
    return bool(uses) and all(
        (isinstance(use, InvokeOp) and use.receiver is op.result)
        or (isinstance(use, CallOp) and constant_name(use.callee).startswith("torch."))
        for use in uses
    )


def ask_either(op: Operation, read: GetattrOp, kind: OptionalType) -> None:
    """Do an op with the field if it is there, else with None."""
    node, name = read.operand, read.attribute.data
    has = insert_value(op, HasFieldOp(node, name, BoolT))
    field = FieldOp(node, name, kind.element)
    field.result.name_hint = read.result.name_hint
    sides = _side(op, read.result, field), _side(op, read.result, _none())
    texts = {"test": to_attr(f"`{name}` is there")}
    types = [result.type for result in op.results]
    chosen = insert_value(
        op, IfOp(has, types, Region(sides[0]), Region(sides[1]), texts)
    )
    replace(op, [chosen])


def may_be_none(use: Use, kind: OptionalType) -> bool:
    """Whether a field of this type that is handed on here may be None."""
    op, is_plain = use.operation, kind.element in _PLAIN
    match op:
        case ReturnOp():
            return True
        case LocalReturnOp():
            return is_plain and _ends_in_none(op, use.index)
        case YieldOp():
            return is_plain and isinstance(op.parent_op(), IfOp)
        case LocalCallOp():
            return is_plain
        case TupleOp():
            return all(may_be_none(inner, kind) for inner in op.result.uses)
        case _:
            return False


def take_apart(op: SelectOp) -> None:
    """Choose by an `if` what a `select` chooses, so that one side is not read."""
    sides = Block(), Block()
    for side, given in zip(sides, (op.if_true, op.if_false), strict=True):
        append(side, YieldOp([given]), source=op)
    regions = Region(sides[0]), Region(sides[1])
    texts = {"test": test} if (test := op.attributes.get("test")) else {}
    chosen = IfOp(op.condition, [op.result.type], *regions, texts)
    replace(op, [insert_value(op, chosen)])


def _ends_in_none(op: LocalReturnOp, index: int) -> bool:
    """Whether a function gives None in a place elsewhere."""
    function = function_around(op)
    assert function is not None
    ends = [end.operands for end in function.returns if index < len(end.operands)]
    return any(constant_value(end[index]) is None for end in ends)


def either(read: GetattrOp, kind: OptionalType) -> SSAValue:
    """In the place of a read, the field if it is there, else None."""
    node, name = read.operand, read.attribute.data
    has = insert_value(read, HasFieldOp(node, name, BoolT))
    field = FieldOp(node, name, kind.element)
    field.result.name_hint = read.result.name_hint
    sides = Block(), Block()
    for side, given in zip(sides, (field, _none()), strict=True):
        for one in (given, YieldOp(given.results)):
            append(side, one, source=read)
    texts = {"test": to_attr(f"`{name}` is there")}
    regions = Region(sides[0]), Region(sides[1])
    return insert_value(read, IfOp(has, [read.result.type], *regions, texts))


def _none() -> ConstantOp:
    return ConstantOp(to_attr(None))


def _side(op: Operation, old: SSAValue, new: Operation) -> Block:
    """A copy of an op that is given what another op gives."""
    block = Block()
    copy = clone(op, {old: new.results[0]})
    for one in (new, copy, YieldOp(copy.results)):
        append(block, one, source=op)
    return block
