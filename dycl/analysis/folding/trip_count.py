"""How often a `while` runs its body, when that is known without the data."""

from collections.abc import Sequence

from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.folding.constants import UNKNOWN, Known, analyse
from dycl.ir import ConditionOp, ConstantOp, WhileOp
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.values import to_attr
from dycl.ir.walking import walk

_PLAIN = (bool, int, float, str, type(None))


def trip_count(loop: WhileOp, environment: Environment, limit: int) -> int | None:
    """How often the body is run if no `break` that depends on data ends the loop.

    None when a test depends on the data, or there are more than `limit` iterations.
    """
    anything = [UNKNOWN] * len(loop.initial)
    ((always, *_),) = _evaluate(
        loop.before.block, anything, [loop.condition], environment
    )
    if always is not UNKNOWN and always:
        # A `while True` ends elsewhere; a body that never comes to its end is run once.
        return None if loop.back_edges else 1
    carried = [_constant(v) for v in loop.initial]
    for count in range(limit + 1):
        last_op = loop.before.block.last_op
        assert isinstance(last_op, ConditionOp)
        taken, *carried = _evaluate(loop.before.block, carried, [last_op], environment)[
            0
        ]
        if taken is UNKNOWN:
            return None
        if not taken:
            return count
        back_edges = loop.back_edges
        if not back_edges:
            return count + 1
        rows = _evaluate(loop.body.block, carried, back_edges, environment)
        carried = [_common(column) for column in zip(*rows, strict=True)]
    return None


def _evaluate(
    source: Block,
    carried: Sequence[object],
    ends: Sequence[Operation],
    environment: Environment,
) -> list[list[object]]:
    """What the operands of `ends` are when a block is run with these arguments.

    The block is copied together with the constants that it uses, so nothing outside of
    the copy is touched.
    """
    copy = Block(arg_types=[a.type for a in source.args])
    mapping: dict[SSAValue, SSAValue] = dict(zip(source.args, copy.args, strict=True))
    for argument, value in zip(source.args, carried, strict=True):
        if value is not UNKNOWN:
            constant = ConstantOp(to_attr(value))
            copy.add_op(constant)
            mapping[argument] = constant.result
    for value in _free_values(source):
        if isinstance(value.owner, ConstantOp):
            copy.add_op(value.owner.clone(mapping))
        else:
            mapping[value] = copy.insert_arg(value.type, len(copy.args))
    for op in source.ops:
        copy.add_op(op.clone(mapping))
    facts = analyse(copy, environment)

    def later(value: SSAValue) -> object:
        fact = facts.of.get(mapping[value])
        plain = isinstance(fact, Known) and isinstance(fact.value, _PLAIN)
        return fact.value if isinstance(fact, Known) and plain else UNKNOWN

    return [[later(v) for v in end.operands] for end in ends]


def _free_values(block: Block) -> list[SSAValue]:
    """What a block uses from outside, in order."""
    inside: set[SSAValue] = set(block.args)
    free: dict[SSAValue, None] = {}
    for op in walk(block):
        inside.update(op.results)
        inside.update(a for r in op.regions for b in r.blocks for a in b.args)
        free.update((v, None) for v in op.operands if v not in inside)
    return list(free)


def _constant(value: SSAValue) -> object:
    constant = constant_value(value)
    return constant if isinstance(constant, _PLAIN) else UNKNOWN


def _common(values: Sequence[object]) -> object:
    """The value that all paths agree on."""
    first = values[0]
    same = all(type(v) is type(first) and v == first for v in values)
    return first if same else UNKNOWN
