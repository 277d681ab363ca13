"""`raise` and `assert`: the class is known now, its arguments are values of the run."""

import ast

from xdsl.dialects.builtin import ArrayAttr, StringAttr

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.control import lower_branch
from dycl.frontend.expressions import lower_expression, lower_test, static_value
from dycl.ir import RaiseOp, UnreachableOp
from dycl.ir.dialect.effects import CLASSES


def lower_raise(b: FunctionBuilder, node: ast.Raise) -> None:
    """`raise Error`, `raise Error(a, b)`, also `from None`."""
    call = node.exc if isinstance(node.exc, ast.Call) else None
    target = node.exc if call is None else call.func
    category = None if target is None else static_value(b, target)
    plain = call is None or not (
        call.keywords or any(isinstance(a, ast.Starred) for a in call.args)
    )
    if not _is_exception(category) or not plain or not _is_cause(b, node.cause):
        b.refuse(refusals.unknown_exception(ast.unparse(node)), node)
        b.emit(UnreachableOp(), node)
        return
    arguments = [] if call is None else [lower_expression(b, a) for a in call.args]
    assert isinstance(category, type)
    builtin = next(c for c in category.__mro__ if c.__module__ == "builtins")
    base = None if builtin is category else full_name(builtin)
    raised = RaiseOp(full_name(category), arguments, base)
    known = (category, object, *builtin.__mro__)
    others = [full_name(c) for c in category.__mro__ if c not in known]
    if others:
        raised.attributes[CLASSES] = ArrayAttr(map(StringAttr, others))
    b.emit(raised, node)


def full_name(cls: type) -> str:
    """The name of a class with its module."""
    return f"{cls.__module__}.{cls.__qualname__}"


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


def _is_cause(b: FunctionBuilder, cause: ast.expr | None) -> bool:
    """Whether what stands behind `from` only tells where an exception comes from."""
    named = isinstance(cause, ast.Name) and cause.id in b.caught
    return (
        cause is None
        or named
        or (isinstance(cause, ast.Constant) and cause.value is None)
    )
