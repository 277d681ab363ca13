"""Segments: the parts of a host function that a device may run as one graph each.

A segment is a `dycl.scope` with the attribute `segment`, its number. It is left at its
end, with the values that what follows it needs, or by a return inside. Whatever does
not know segments runs it as any other scope.
"""

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from dycl.ir import dialect as d
from dycl.ir.host.buffers import AllocOp, LaunchOp, ParamOp, ViewOp
from dycl.ir.host.size_numbers import sizes_in
from dycl.ir.host.types import NUMBERS
from dycl.ir.interfaces import is_inside
from dycl.ir.walking import walk

SEGMENT = "segment"
"""The attribute of the scope."""


def number_in(op: Operation, name: str) -> int | None:
    """A number that an op has as an attribute; None: it has none."""
    number = op.attributes.get(name)
    return None if number is None else cast(IntegerAttr, number).value.data


def segments_of(func: Operation) -> Iterator[d.ScopeOp]:
    """The segments of a host function, in order."""
    for region in func.regions:
        for op in walk(region):
            if isinstance(op, d.ScopeOp) and SEGMENT in op.attributes:
                yield op


def given_to(segment: d.ScopeOp) -> list[SSAValue]:
    """What a run of a segment is given: each value from outside that is not the same in
    all runs, in the order of their first uses. For a number that sizes decide, these
    are the tensors of which it is."""
    found: dict[SSAValue, None] = {}
    for op in walk(segment.body):
        for value in op.operands:
            if is_inside(value, segment) or is_fixed(value):
                continue
            sizes = sizes_in(value) if value.type in NUMBERS else []
            given = [size.operand for size in sizes] or [value]
            found |= dict.fromkeys(one for one in given if not is_fixed(one))
    return list(found)


def is_fixed(value: SSAValue) -> bool:
    """Whether a value is known before the first run: a constant, a weight, memory that
    nothing fills, or a view of one."""
    owner = value.owner
    if isinstance(owner, ViewOp):
        return is_fixed(owner.operand)
    if isinstance(owner, AllocOp):
        return not launches_filling(value)
    return isinstance(owner, d.ConstantOp | ParamOp)


def launches_filling(value: SSAValue) -> list[LaunchOp]:
    """The launches that fill a buffer themselves."""
    if not isinstance(value.type, MemRefType):
        return []
    users = [use.operation for use in value.uses]
    return [o for o in users if isinstance(o, LaunchOp) and value in o.outputs]
