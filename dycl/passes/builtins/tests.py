"""`any`, `all`, `in`, comparisons of lists and tuples item by item; `is_integer`."""

import math
from collections.abc import Sequence
from typing import cast

from xdsl.ir import SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    GetattrOp,
    InvokeOp,
    ListOp,
    NodeType,
    TupleOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.torch import FloatT, StrT, VTensorType
from dycl.ir.values import GlobalRef
from dycl.passes.builtins.items import Site, displayed, is_number, is_settled


def is_whole(site: Site, op: InvokeOp) -> bool:
    """`x.is_integer()` of a float: of infinity and NaN the rest is a NaN."""
    if op.receiver.type != FloatT:
        return False
    rest = site.add(BinaryOp("mod", op.receiver, site.constant(1.0), FloatT))
    return site.done(site.compare("eq", rest, site.constant(0.0)))


def any_or_all(site: Site, op: CallOp) -> bool:
    """`any(v)`: is an item true? `all(v)`: is none false? Stops at the first."""
    callee = constant_value(op.callee)
    assert isinstance(callee, GlobalRef)
    looked_for = callee.name == "builtins.any"
    if len(op.arguments) != 1 or op.keyword_names:
        return False
    items = site.items(op.arguments[0])
    if items is None:
        return False
    name = callee.name.removeprefix("builtins.")

    def rest(index: int) -> SSAValue:
        if index == len(items):
            return site.constant(not looked_for)
        (item,) = site.values(items[index : index + 1])
        test = site.to_bool(item)
        if index == len(items) - 1:
            return test
        text = f"{name}: item {index}"
        sides = [lambda: [site.constant(looked_for)], lambda: [rest(index + 1)]]
        if not looked_for:
            sides.reverse()
        return site.branch(test, text, *sides)[0]

    return site.done(rest(0))


def membership(site: Site, op: CompareOp) -> bool:
    """`k in v`: is an item k itself, or equal to it? Of a tensor: is an element?"""
    lhs = op.lhs
    container = constant_value(op.rhs)
    if isinstance(container, dict):
        items = site.items(site.constant(list(container)))
    elif isinstance(container, (set, frozenset)):
        items = site.items(site.constant(sorted(container, key=repr)))
    elif isinstance(container, str):
        return False
    elif isinstance(op.rhs.type, VTensorType):
        return _among_elements(site, op)
    else:
        items = site.items(_listed(op.rhs))
    is_known = is_number(lhs) or lhs.type == StrT or isinstance(lhs.type, VTensorType)
    if items is None or not (is_known or _has_node(lhs) or _has_node(op.rhs)):
        return False
    values = site.values(items)
    if not all(map(_is_settled, values)) or any(map(_is_nan, values)):
        return False
    result = _contains(site, lhs, values)
    return site.done(site.negated(result) if op.kind_name == "not_in" else result)


def _among_elements(site: Site, op: CompareOp) -> bool:
    """`k in x` is `(k == x).any().item()`, as `torch.Tensor.__contains__` has it."""
    if not is_number(op.lhs) and not isinstance(op.lhs.type, VTensorType):
        return False
    found = site.add(InvokeOp(site.compare("eq", op.rhs, op.lhs), "any", []))
    result = site.to_bool(found)
    return site.done(site.negated(result) if op.kind_name == "not_in" else result)


def _listed(container: SSAValue) -> SSAValue:
    """What a set is made of: in which order, or how often, changes no answer."""
    owner = container.owner
    if isinstance(owner, CallOp) and len(owner.arguments) == 1:
        callee = constant_value(owner.callee)
        if callee in (GlobalRef("builtins.set"), GlobalRef("builtins.frozenset")):
            return owner.arguments[0]
    return container


def _is_nan(value: SSAValue) -> bool:
    """A NaN is in a list only if it is the very object, which no number tells."""
    constant = constant_value(value)
    return isinstance(constant, float) and math.isnan(constant)


def _is_settled(value: SSAValue) -> bool:
    """Whether the kind of a value is known: a node is one, and in a tuple its items."""
    if isinstance(value.owner, TupleOp) and _has_node(value):
        return all(map(_is_settled, value.owner.operands))
    return is_settled(value) or _has_node(value)


def _has_node(value: SSAValue) -> bool:
    """Whether a value is a node of a tree, what such a node holds unless it is None, or
    a tuple or list with one of these.

    `dycl-match-nodes` says of each comparison what it gives.
    """
    owner = value.owner
    if isinstance(owner, (TupleOp, ListOp)):
        return any(map(_has_node, owner.operands))
    if isinstance(owner, GetattrOp) and isinstance(owner.operand.type, NodeType):
        return True
    return isinstance(value.type, NodeType)


def _contains(site: Site, wanted: SSAValue, values: Sequence[SSAValue]) -> SSAValue:
    if any(value is wanted for value in values):
        return site.constant(True)
    candidates = [*values]
    if not any(map(_has_node, [wanted, *values])):
        # A number is no text, and neither is None.
        others = (int, float) if wanted.type == StrT else (str,)
        others = (*others, type(None))
        candidates = [v for v in values if not isinstance(constant_value(v), others)]
    if not candidates:
        return site.constant(False)
    if is_number(wanted) and all(map(is_number, candidates)):
        tests = [site.compare("eq", value, wanted) for value in candidates]
        result = tests[-1]
        for test in reversed(tests[:-1]):
            result = site.either(test, site.constant(True), result)
        return result

    def rest(index: int) -> SSAValue:
        test = site.to_bool(site.compare("eq", candidates[index], wanted))
        if index == len(candidates) - 1:
            return test
        return site.branch(
            *(test, f"item {index}"),
            lambda: [site.constant(True)],
            lambda: [rest(index + 1)],
        )[0]

    return rest(0)


def lexicographic(site: Site, op: CompareOp) -> bool:
    """`(a, b) < (c, d)`: the first items that differ decide."""
    kind = op.kind_name
    if kind not in _ORDERS or _kind_of(op.lhs) is not _kind_of(op.rhs):
        return False
    ones, others = _displayed(site, op.lhs), _displayed(site, op.rhs)
    if ones is None or others is None:
        return False
    if not all(map(_is_settled, [*ones, *others])):
        return False
    longer = len(ones) - len(others)
    if kind in ("eq", "ne") and longer:
        return site.done(site.constant(kind == "ne"))

    def rest(index: int) -> SSAValue:
        if index == min(len(ones), len(others)):
            return site.constant(_ORDERS[kind](longer))
        one, other = ones[index], others[index]
        if one is other:
            return rest(index + 1)
        same = site.to_bool(site.compare("eq", one, other))

        def differ() -> list[SSAValue]:
            if kind in ("eq", "ne"):
                return [site.constant(kind == "ne")]
            return [site.compare(kind, one, other)]

        text = f"items {index} equal"
        return site.branch(same, text, lambda: [rest(index + 1)], differ)[0]

    return site.done(rest(0))


def _kind_of(value: SSAValue) -> type | None:
    """Whether a value is a tuple or a list, of items that are known."""
    owner, constant = value.owner, constant_value(value)
    if isinstance(owner, TupleOp) or isinstance(constant, tuple):
        return tuple
    is_list = isinstance(owner, ListOp) or isinstance(constant, list)
    return list if is_list else None


def _displayed(site: Site, value: SSAValue) -> list[SSAValue] | None:
    if (items := displayed(value)) is not None:
        return items
    constant = constant_value(value)
    if not isinstance(constant, (list, tuple)):
        return None
    return [site.constant(item) for item in cast("list[object]", constant)]


_ORDERS = {
    "eq": lambda longer: longer == 0,
    "ne": lambda longer: longer != 0,
    "lt": lambda longer: longer < 0,
    "le": lambda longer: longer <= 0,
    "gt": lambda longer: longer > 0,
    "ge": lambda longer: longer >= 0,
}
"""What a comparison is where all common items are equal, by how much longer one is."""
