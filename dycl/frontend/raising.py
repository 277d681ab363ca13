"""`raise` and `assert`: the class is known now, its arguments are values of the run."""

import ast
import inspect

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.capture.classes import class_name
from dycl.frontend.control import lower_branch
from dycl.frontend.expressions import lower_expression, lower_test, static_value
from dycl.ir import RaiseOp
from dycl.ir.dialect.effects import CLASSES


def lower_raise(b: FunctionBuilder, node: ast.Raise) -> None:
    """`raise Error`, `raise Error(a, b)`, also `from None`, or with keywords.

    In a handler `raise`, or `raise error` of what that has caught.
    """
    if _is_again(b, node):
        b.emit(RaiseOp.again(), node)
        return
    call = node.exc if isinstance(node.exc, ast.Call) else None
    target = node.exc if call is None else call.func
    category = None if target is None else static_value(b, target)
    places = [] if call is None else _places(category, call)
    if not _is_exception(category) or places is None or not _is_cause(b, node.cause):
        refused = b.refuse(refusals.unknown_exception(ast.unparse(node)), node)
        b.emit(RaiseOp("builtins.Exception", [refused]), node)
        return
    assert isinstance(category, type)
    arguments: list[SSAValue] = []
    if call is not None:
        given = [*call.args, *(k.value for k in call.keywords)]
        values = [lower_expression(b, a) for a in given]
        text = class_name(category)
        arguments = [
            values[p] if isinstance(p, int) else _default(b, p, text, call)
            for p in places
        ]
    builtin = next(c for c in category.__mro__ if c.__module__ == "builtins")
    base = None if builtin is category else class_name(builtin)
    raised = RaiseOp(class_name(category), arguments, base)
    known = (category, object, *builtin.__mro__)
    others = [class_name(c) for c in category.__mro__ if c not in known]
    if others:
        raised.attributes[CLASSES] = ArrayAttr(map(StringAttr, others))
    b.emit(raised, node)


def _places(cls: object, call: ast.Call) -> list[int | inspect.Parameter] | None:
    """What each parameter of an exception is given, by place in the call, or by its
    default; None: that is not known."""
    count, names = len(call.args), [k.arg for k in call.keywords]
    if any(isinstance(a, ast.Starred) for a in call.args) or None in names:
        return None
    if not names:
        return list(range(count))
    own = getattr(cls, "__init__", None)
    if not inspect.isfunction(own):
        return None
    _, *parameters = inspect.signature(own).parameters.values()
    by_place = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    known = [p.name for p in by_place]
    if not set(names) <= set(known[count:]) or parameters[: len(known)] != by_place:
        return None
    last = max(known.index(str(name)) for name in names)
    rest = [
        count + names.index(p.name) if p.name in names else p
        for p in by_place[count : last + 1]
    ]
    missing = (p for p in rest if not isinstance(p, int))
    if any(p.default is p.empty for p in missing):
        return None
    return [*range(count), *rest]


def _default(
    b: FunctionBuilder, parameter: inspect.Parameter, text: str, node: ast.AST
) -> SSAValue:
    constant = b.as_constant(parameter.default, f"{text}.{parameter.name}")
    return b.constant(constant, node)


def lower_assert(b: FunctionBuilder, node: ast.Assert) -> bool:
    """`assert test, message`; says whether control falls through."""
    if not __debug__:
        return True  # `python -O` leaves them out of eager runs, too

    def fail() -> bool:
        arguments = [] if node.msg is None else [lower_expression(b, node.msg)]
        b.emit(RaiseOp("builtins.AssertionError", arguments), node)
        return False

    test, text = lower_test(b, node.test), b.source.text(node.test)
    return lower_branch(b, node, test, text, lambda: True, fail)


def _is_exception(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, BaseException)


def _is_again(b: FunctionBuilder, node: ast.Raise) -> bool:
    """Whether what the innermost handler has caught is raised once more."""
    if not b.handling or not _is_cause(b, node.cause):
        return False
    if node.exc is None:
        return True
    name = node.exc.id if isinstance(node.exc, ast.Name) else None
    return name is not None and name == b.handling[-1] and name not in b.env


def _is_cause(b: FunctionBuilder, cause: ast.expr | None) -> bool:
    """Whether what stands behind `from` only tells where an exception comes from."""
    named = isinstance(cause, ast.Name) and cause.id in b.caught
    return (
        cause is None
        or named
        or (isinstance(cause, ast.Constant) and cause.value is None)
    )
