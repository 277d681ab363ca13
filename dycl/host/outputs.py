"""What `forward` may return, as plain data: for the manifest of an artifact.

A tensor is `{"dtype": "float32", "shape": [1, 10]}`; a dynamic size is -1, and
`"sizes": ["1", "n // 2"]` says which it is, where that is known. A number is
`{"scalar": "int"}`, a list whose length a run decides `{"items": ...}`, a tuple
`{"tuple": [...]}`, a list `{"list": [...]}`, a dict `{"dict": [[key, ...], ...]}`, a
record `{"record": "net.Out", "fields": {...}}`, a constant `{"constant": "text"}`.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute, SSAValue

import dycl.ir as d
from dycl.host.literals import named as name_of
from dycl.host.python import host_function
from dycl.ir.host.types import SCALARS, dtype_of
from dycl.ir.records import Record
from dycl.ir.state import state_of
from dycl.ir.values import DeviceRef, GlobalRef, LeafRef, from_attr
from dycl.ir.walking import walk


def describe_outputs(
    module: ModuleOp, sizes: Mapping[SSAValue, list[str]] | None = None
) -> list[Any]:
    """Each kind of value that the host function may return, in order of its returns.

    `sizes`: what is known of dynamic sizes, a text for each dimension.
    PassFailed (DY501): there is no, or more than one, host function.
    """
    func = host_function(module)
    result: list[Any] = []
    describe = partial(_describe, sizes or {})
    for op in walk(func.body):
        if isinstance(op, d.ReturnOp):
            returned = returned_structure(op)
            if state_of(func) is not None:
                returned = cast("tuple[object, ...]", returned)[0]
            if (described := describe(returned, op.values)) not in result:
                result.append(described)
    return result


def returned_structure(op: d.ReturnOp) -> object:
    """What a return builds, with a `LeafRef` for each operand."""
    if op.structure is not None:
        return from_attr(op.structure)
    if len(op.values) == 1:
        return LeafRef(0)
    return tuple(LeafRef(i) for i in range(len(op.values)))


def _describe(
    sizes: Mapping[SSAValue, list[str]], value: object, leaves: Sequence[SSAValue]
) -> Any:
    describe = partial(_describe, sizes)
    match value:
        case LeafRef(index):
            leaf = leaves[index]
            found = _type(leaf.type)
            return {**found, "sizes": sizes[leaf]} if leaf in sizes else found
        case tuple() | list():
            items = [describe(v, leaves) for v in cast("list[object]", value)]
            return {type(value).__name__: items}
        case Record(kind, fields):
            described = [describe(v, leaves) for v in fields]
            named = dict(zip(kind.fields, described, strict=True))
            return {"record": kind.name, "fields": named}
        case GlobalRef() | DeviceRef():
            return {"constant": name_of(value)}
        case dict():
            entries = cast("dict[object, object]", value).items()
            return {"dict": [[_plain(k), describe(v, leaves)] for k, v in entries]}
        case _:
            return {"constant": _plain(value)}


def _plain(value: object) -> Any:
    """A constant as JSON has it; what JSON lacks, as its text."""
    return value if isinstance(value, bool | int | str | None) else repr(value)


def _type(found: Attribute) -> Any:
    if isinstance(found, MemRefType):
        shape = [max(size, -1) for size in found.get_shape()]
        return {"dtype": dtype_of(found), "shape": shape}
    if isinstance(found, d.SequenceType):
        return {"items": _type(found.element)}
    return {"scalar": SCALARS[found]}
