"""Expressions: each becomes ops at the end of the block, and gives one value."""

import ast
import types
from collections.abc import Callable
from logging import Logger
from typing import Any, cast

from xdsl.ir import SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.comprehensions import (
    Comprehension,
    lower_comprehension,
    lower_reduction,
)
from dycl.frontend.control import lower_bool_op, lower_choice, to_bool
from dycl.frontend.displays import lower_dict, lower_display, lower_items, lower_set
from dycl.frontend.format_strings import lower_format
from dycl.frontend.generators import lower_yield, lower_yield_from
from dycl.frontend.memoised import evaluated
from dycl.frontend.names import MISSING, is_captured, is_users
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    GetattrOp,
    InvokeOp,
    ListOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    UnaryOp,
)
from dycl.ir.values import UnsupportedRef

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
_UNARY: dict[type[ast.unaryop], str] = {
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.Not: "not",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Is: "is",
    ast.IsNot: "is_not",
    ast.In: "in",
    ast.NotIn: "not_in",
}


def lower_expression(b: FunctionBuilder, node: ast.expr) -> SSAValue:
    """The value of an expression."""
    static = static_value(b, node)
    if static is not MISSING:
        return _constant_from_outside(b, static, node)
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return b.refuse(refusals.expression(ast.unparse(node)), node)
    return handler(b, node)


def lower_test(b: FunctionBuilder, node: ast.expr) -> SSAValue:
    """The truth of an expression, as `if` and `while` ask for it."""
    if isinstance(node, ast.BoolOp):
        return lower_bool_op(b, node, lower_test)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return b.value(UnaryOp("not", lower_test(b, node.operand)), node)
    return to_bool(b, lower_expression(b, node), node)


def static_value(b: FunctionBuilder, node: ast.expr) -> Any:
    """What a name from outside, or an attribute of it, is now; MISSING: no such."""
    if isinstance(node, ast.Name):
        if node.id in b.local_names and node.id not in b.statics:
            return MISSING
        return b.global_value(node.id)
    if isinstance(node, ast.Attribute):
        base = static_value(b, node.value)
        if base is MISSING or is_captured(base):
            return MISSING  # what an attribute is now may change
        if isinstance(base, (types.ModuleType, type)) or hasattr(base, node.attr):
            return getattr(base, node.attr, MISSING)
    return MISSING


def _constant_from_outside(
    b: FunctionBuilder, value: object, node: ast.expr
) -> SSAValue:
    constant = b.as_constant(value, ast.unparse(node))
    if isinstance(constant, UnsupportedRef):
        weights = any(
            c.__module__.startswith("torch") and c.__name__ in ("Tensor", "Module")
            for c in type(value).__mro__
        )
        refusal = refusals.no_ir_form(ast.unparse(node), constant.reason, weights)
        return b.refuse(refusal, node)
    return b.constant(constant, node)


def _lower_constant(b: FunctionBuilder, node: ast.Constant) -> SSAValue:
    return _constant_from_outside(b, node.value, node)


def _lower_name(b: FunctionBuilder, node: ast.Name) -> SSAValue:
    if node.id in b.local_names:
        return b.read(node.id, node)
    return b.refuse(refusals.unknown_name(node.id), node)


def _lower_attribute(b: FunctionBuilder, node: ast.Attribute) -> SSAValue:
    proxy = _super_owner(b, node)
    if proxy is not None:
        return b.value(GetattrOp(proxy[0], f"{proxy[1]}.{node.attr}"), node, node.attr)
    return b.value(
        GetattrOp(lower_expression(b, node.value), node.attr), node, node.attr
    )


def _lower_subscript(b: FunctionBuilder, node: ast.Subscript) -> SSAValue:
    operand = lower_expression(b, node.value)
    return b.value(SubscriptOp(operand, lower_expression(b, node.slice)), node)


def _lower_slice(b: FunctionBuilder, node: ast.Slice) -> SSAValue:
    parts = [
        b.constant(None, node) if p is None else lower_expression(b, p)
        for p in (node.lower, node.upper, node.step)
    ]
    return b.value(SliceOp(parts), node)


def _lower_unary(b: FunctionBuilder, node: ast.UnaryOp) -> SSAValue:
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return b.constant(-number, node)
    operand = lower_expression(b, node.operand)
    return b.value(UnaryOp(_UNARY[type(node.op)], operand), node)


def _lower_binary(b: FunctionBuilder, node: ast.BinOp) -> SSAValue:
    lhs = lower_expression(b, node.left)
    rhs = lower_expression(b, node.right)
    return b.value(BinaryOp(BINARY[type(node.op)], lhs, rhs), node)


def _lower_bool(b: FunctionBuilder, node: ast.BoolOp) -> SSAValue:
    return lower_bool_op(b, node, lower_expression)


def _lower_compare(b: FunctionBuilder, node: ast.Compare) -> SSAValue:
    return _lower_chain(
        b, node, lower_expression(b, node.left), node.ops, node.comparators
    )


def _lower_chain(
    b: FunctionBuilder,
    node: ast.Compare,
    lhs: SSAValue,
    ops: list[ast.cmpop],
    comparators: list[ast.expr],
) -> SSAValue:
    """`a < b < c` is `a < b and b < c`, evaluating `b` once."""
    rhs = lower_expression(b, comparators[0])
    result = b.value(CompareOp(_COMPARE[type(ops[0])], lhs, rhs), node)
    if len(ops) == 1:
        return result
    test = to_bool(b, result, node)
    return lower_choice(
        b,
        node,
        test,
        b.source.text(node),
        lambda: _lower_chain(b, node, rhs, ops[1:], comparators[1:]),
        lambda: result,
    )


def _lower_if_expression(b: FunctionBuilder, node: ast.IfExp) -> SSAValue:
    return lower_choice(
        b,
        node,
        lower_test(b, node.test),
        b.source.text(node.test),
        lambda: lower_expression(b, node.body),
        lambda: lower_expression(b, node.orelse),
    )


_OWNERS = (Logger, str, tuple, list, dict)
"""Globals whose methods are called on them: they are no functions to import."""


def _lower_call(b: FunctionBuilder, node: ast.Call) -> SSAValue:
    proxy = _super_owner(b, node.func)
    static = static_value(b, node.func)
    by_method = isinstance(node.func, ast.Attribute) and (
        proxy is not None
        or static is MISSING
        or isinstance(getattr(static, "__self__", None), _OWNERS)
    )
    if not by_method and (result := _lower_reduction(b, node)) is not None:
        return result
    method = cast(ast.Attribute, node.func).attr if by_method else ""
    if proxy is not None:
        callee, method = proxy[0], f"{proxy[1]}.{method}"
    else:
        target = cast(ast.Attribute, node.func).value if by_method else node.func
        callee = lower_expression(b, target)
    arguments, names = _lower_arguments(b, node)
    if by_method:
        return b.value(InvokeOp(callee, method, arguments, names), node)
    known = evaluated(b, node, static, arguments, names)
    if known is not MISSING:
        return b.constant(known, node)
    return b.value(CallOp(callee, arguments, names), node)


def _lower_arguments(
    b: FunctionBuilder, node: ast.Call
) -> tuple[list[SSAValue], list[str]]:
    """The arguments, and the names of the last ones; `*` and `**` are names too."""
    stars = [isinstance(a, ast.Starred) for a in node.args]
    plain = stars.index(True) if True in stars else len(node.args)
    lower = lower_used_up if _reads_at_once(b, node.func) else lower_expression
    arguments = [lower(b, a) for a in node.args[:plain]]
    names: list[str] = []
    if plain < len(node.args):
        rest, each = node.args[plain:], (lower_expression, lower_used_up)
        arguments.append(lower_items(b, node, rest, TupleOp, *each))
        names.append("*")
    arguments += [lower(b, k.value) for k in node.keywords]
    names += [k.arg or "**" for k in node.keywords]
    return arguments, names


_LAZY = (enumerate, filter, iter, map, reversed, zip)
_READING_METHODS = ("extend", "join", "update")


def _reads_at_once(b: FunctionBuilder, function: ast.expr) -> bool:
    """Whether a call reads an iterator to its end, and keeps no name of it."""
    static = static_value(b, function)
    if static is MISSING:
        method = function.attr if isinstance(function, ast.Attribute) else ""
        return method in _READING_METHODS
    return static not in _LAZY and not is_users(static)


def _lower_reduction(b: FunctionBuilder, node: ast.Call) -> SSAValue | None:
    """`any`, `all`, `next` or `sum` of a generator expression, or None."""
    if not node.args or not isinstance(node.args[0], ast.GeneratorExp):
        return None
    function = static_value(b, node.func)
    start = [k.value for k in node.keywords if k.arg == "start"]
    if function not in (any, all, next, sum) or len(start) < len(node.keywords):
        return None
    rest = [lower_expression(b, a) for a in [*node.args[1:], *start]]
    lower = (lower_expression, lower_test)
    return lower_reduction(b, function, node.args[0], rest, *lower)


def lower_used_up(b: FunctionBuilder, node: ast.expr) -> SSAValue:
    """An expression read once and at once: a generator may be a list there."""
    if isinstance(node, ast.GeneratorExp):
        return _lower_comprehension(b, node)
    return lower_expression(b, node)


def _super_owner(b: FunctionBuilder, node: ast.expr) -> tuple[SSAValue, str] | None:
    """For `super().f`: this function's first argument, and where to look for `f`.

    The name `super(module.Class).f` of an object is its `f` as the classes that follow
    this one in the object's own order have it.
    """
    call = node.value if isinstance(node, ast.Attribute) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    if call.func.id != "super" or b.global_value("super") is not super:
        return None
    parameters = b.source.node.args
    first = [*parameters.posonlyargs, *parameters.args][:1]
    owner = b.global_value("__class__")
    if len(call.args) == 2:
        owner = static_value(b, call.args[0])
        instance = lower_expression(b, call.args[1])
    elif call.args or not first:
        return None
    else:
        instance = b.read(first[0].arg, node)
    if not isinstance(owner, type):
        return None
    return instance, f"super({owner.__module__}.{owner.__qualname__})"


def _lower_tuple(b: FunctionBuilder, node: ast.Tuple) -> SSAValue:
    return lower_display(b, node, node.elts, TupleOp, lower_expression, lower_used_up)


def _lower_list(b: FunctionBuilder, node: ast.List) -> SSAValue:
    return lower_display(b, node, node.elts, ListOp, lower_expression, lower_used_up)


def _lower_set(b: FunctionBuilder, node: ast.Set) -> SSAValue:
    return lower_set(b, node, lower_expression, lower_used_up)


def _lower_dict(b: FunctionBuilder, node: ast.Dict) -> SSAValue:
    return lower_dict(b, node, lower_expression)


def _lower_format(b: FunctionBuilder, node: ast.JoinedStr) -> SSAValue:
    return lower_format(b, node, lower_expression)


def _lower_named(b: FunctionBuilder, node: ast.NamedExpr) -> SSAValue:
    value = lower_expression(b, node.value)
    b.bind(node.target.id, value)
    return value


def _lower_comprehension(b: FunctionBuilder, node: Comprehension) -> SSAValue:
    return lower_comprehension(b, node, lower_expression, lower_test)


def _lower_generator(b: FunctionBuilder, node: ast.GeneratorExp) -> SSAValue:
    from dycl.frontend.kept_generators import lower_kept_generator

    return lower_kept_generator(b, node)


def _lower_lambda(b: FunctionBuilder, node: ast.Lambda) -> SSAValue:
    from dycl.frontend.functions import lower_inner_function

    return lower_inner_function(b, node)


def _refuse_generator(b: FunctionBuilder, node: ast.expr) -> SSAValue:
    return b.refuse(refusals.generator(), node)


_HANDLERS: dict[type[ast.expr], Callable[..., SSAValue]] = {
    ast.Constant: _lower_constant,
    ast.Name: _lower_name,
    ast.Attribute: _lower_attribute,
    ast.Subscript: _lower_subscript,
    ast.Slice: _lower_slice,
    ast.UnaryOp: _lower_unary,
    ast.BinOp: _lower_binary,
    ast.BoolOp: _lower_bool,
    ast.Compare: _lower_compare,
    ast.IfExp: _lower_if_expression,
    ast.Call: _lower_call,
    ast.Tuple: _lower_tuple,
    ast.List: _lower_list,
    ast.Dict: _lower_dict,
    ast.NamedExpr: _lower_named,
    ast.JoinedStr: _lower_format,
    ast.Set: _lower_set,
    ast.ListComp: _lower_comprehension,
    ast.SetComp: _lower_comprehension,
    ast.DictComp: _lower_comprehension,
    ast.GeneratorExp: _lower_generator,
    ast.Lambda: _lower_lambda,
    ast.Yield: lower_yield,
    ast.YieldFrom: lower_yield_from,
    ast.Await: _refuse_generator,
}
