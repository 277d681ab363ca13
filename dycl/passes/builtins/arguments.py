"""`min(*v, 5)` and `max(*v)` of a list whose length the data decides.

One argument alone is taken for what holds the items: of a number Python raises.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Attribute, SSAValue

from dycl.analysis.tensors.abstract import from_type, kind_of
from dycl.ir import (
    AppendOp,
    BinaryOp,
    CallOp,
    ExtendOp,
    SequenceOp,
    SequenceType,
    TupleOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.passes.builtins.items import Site
from dycl.passes.lists.kinds import is_of_run

_NUMBERS = ("bool", "float", "int")


def least_or_most(site: Site, op: CallOp) -> bool:
    """`min(*v, x)` and `max(*v)` of numbers of one kind."""
    name = constant_name(op.callee)
    if name not in ("builtins.max", "builtins.min") or op.keyword_names != ("*",):
        return False
    unpacked = _parts(op.operands[-1])
    if unpacked is None or any(map(is_of_run, op.positional)):
        return False
    parts = [*op.positional, *unpacked]
    if not any(map(is_of_run, parts)):
        return False
    (kind, *others) = {_kind(part) for part in parts}
    if others or kind not in _NUMBERS:
        return False
    items = _joined(site, parts)
    short = name.removeprefix("builtins.")
    length = site.call("len", items)
    for count, text in (
        (0, f"{short} expected at least 1 argument, got 0"),
        (1, f"'{kind}' object is not iterable"),
    ):
        test = site.compare("eq", length, site.constant(count))
        site.raise_if(test, "builtins.TypeError", site.constant(text))
    return site.done(site.call(short, items))


def _parts(value: SSAValue) -> list[SSAValue] | None:
    """The lists of a run, and the single items, that a tuple is made of in order."""
    owner, constant = value.owner, constant_value(value)
    match owner:
        case _ if is_of_run(value):
            return [value]
        case TupleOp():
            return list(owner.items)
        case BinaryOp() if owner.kind_name == "add":
            sides = [_parts(side) for side in owner.operands]
            known = [side for side in sides if side is not None]
            return [v for side in known for v in side] if len(known) == 2 else None
        case CallOp() if constant_name(owner.callee) == "builtins.tuple":
            given = owner.positional
            return _parts(given[0]) if len(owner.operands) == 2 else None
        case _:
            return [value] if type(constant) is tuple else None


def _kind(part: SSAValue) -> str | None:
    """What the items of a part are: a kind of number; None: something else."""
    constant = constant_value(part)
    if type(constant) is tuple:
        kinds = {kind_of(item) for item in cast("tuple[object, ...]", constant)}
        return kinds.pop() if len(kinds) == 1 else None
    if constant is not MISSING:
        return kind_of(constant)
    found: Attribute = part.type
    if isinstance(found, SequenceType):
        found = found.element
    return kind_of(from_type(found))


def _joined(site: Site, parts: Sequence[SSAValue]) -> SSAValue:
    """One list of all items."""
    result: SSAValue | None = None
    for part in parts:
        constant = constant_value(part)
        single = [part]
        if type(constant) is tuple:
            items = cast("tuple[object, ...]", constant)
            single = [site.constant(item) for item in items]
        elif is_of_run(part):
            result = part if result is None else site.add(ExtendOp(result, part))
            continue
        if result is None:
            result = site.add(SequenceOp(single))
            continue
        for item in single:
            result = site.add(AppendOp(result, item))
    assert result is not None
    return result
