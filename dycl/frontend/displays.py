"""Tuples, lists, sets and dicts that are written out."""

import ast
from typing import cast

from xdsl.ir import SSAValue

from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.comprehensions import Lower
from dycl.ir import BinaryOp, CallOp, DictOp, ListOp, TupleOp
from dycl.ir.values import GlobalRef


def lower_display(
    b: FunctionBuilder,
    node: ast.expr,
    items: list[ast.expr],
    kind: type[TupleOp] | type[ListOp],
    lower: Lower,
    used_up: Lower,
) -> SSAValue:
    """`(a, b)` and `[a, b]`; `used_up` makes what is read once and at once."""
    if any(isinstance(i, ast.Starred) for i in items):
        return lower_items(b, node, items, kind, lower, used_up)
    return b.value(kind([lower(b, i) for i in items]), node)


def lower_items(
    b: FunctionBuilder,
    node: ast.expr,
    items: list[ast.expr],
    kind: type[TupleOp] | type[ListOp],
    lower: Lower,
    used_up: Lower,
) -> SSAValue:
    """`a, *v, b` as sums of displays and of what the iterables give."""
    whole: SSAValue | None = None
    run: list[SSAValue] = []
    function = "builtins.tuple" if kind is TupleOp else "builtins.list"

    def add(part: SSAValue) -> None:
        nonlocal whole
        whole = part if whole is None else b.value(BinaryOp("add", whole, part), node)

    for item in items:
        if not isinstance(item, ast.Starred):
            run.append(lower(b, item))
            continue
        if run:
            add(b.value(kind(run), node))
            run = []
        convert = b.constant(GlobalRef(function), item)
        add(b.value(CallOp(convert, [used_up(b, item.value)]), item))
    if run or whole is None:
        add(b.value(kind(run), node))
    return cast(SSAValue, whole)


def lower_set(
    b: FunctionBuilder, node: ast.Set, lower: Lower, used_up: Lower
) -> SSAValue:
    """`{a, b}` is `set([a, b])`."""
    items = lower_display(b, node, node.elts, ListOp, lower, used_up)
    return _call(b, "builtins.set", [items], node)


def lower_dict(b: FunctionBuilder, node: ast.Dict, lower: Lower) -> SSAValue:
    """`{"a": b, **c}` is `{"a": b} | dict(c)`."""
    parts: list[SSAValue] = []
    plain: list[SSAValue] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            plain += [lower(b, key), lower(b, value)]
            continue
        if plain:
            parts.append(b.value(DictOp(plain), node))
        plain = []
        given = lower(b, value)
        parts.append(_call(b, "builtins.dict", [given], node))
    if plain or not parts:
        parts.append(b.value(DictOp(plain), node))
    return _joined(b, "or", parts, node)


def _joined(
    b: FunctionBuilder, operator: str, parts: list[SSAValue], node: ast.expr
) -> SSAValue:
    result = parts[0]
    for part in parts[1:]:
        result = b.value(BinaryOp(operator, result, part), node)
    return result


def _call(
    b: FunctionBuilder, function: str, arguments: list[SSAValue], node: ast.AST
) -> SSAValue:
    callee = b.constant(GlobalRef(function), node)
    return b.value(CallOp(callee, arguments), node)
