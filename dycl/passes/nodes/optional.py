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

None equals no text and no number, is in no list of them, and is false. Elsewhere, as in
`node.word + 1`, it raises.
"""

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    FieldOp,
    GetattrOp,
    HasFieldOp,
    IfOp,
    ToBoolOp,
    UnaryOp,
    YieldOp,
)
from dycl.ir.cloning import clone
from dycl.ir.constant_values import constant_name
from dycl.ir.rewriting import append, insert_value, replace
from dycl.ir.torch import BoolT, FloatT, IntT, OptionalType, StrT
from dycl.ir.values import to_attr

_PLAIN = (BoolT, FloatT, IntT, StrT)
_WITH_NONE = ("eq", "ne", "in", "not_in")


def takes_none(op: Operation, kind: OptionalType) -> bool:
    """Whether an op gives something where a field of this type is None."""
    if kind.element not in _PLAIN:
        return False
    match op:
        case CompareOp():
            return op.kind_name in _WITH_NONE
        case UnaryOp():
            return op.kind_name == "not"
        case CallOp():
            return constant_name(op.callee) == "builtins.bool"
        case _:
            return isinstance(op, ToBoolOp)


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


def _none() -> ConstantOp:
    return ConstantOp(to_attr(None))


def _side(op: Operation, old: SSAValue, new: Operation) -> Block:
    """A copy of an op that is given what another op gives."""
    block = Block()
    copy = clone(op, {old: new.results[0]})
    for one in (new, copy, YieldOp(copy.results)):
        append(block, one, source=op)
    return block
