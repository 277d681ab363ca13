"""`Function.apply` of a `torch.autograd.Function`: its `forward`, without the context.

    class Scale(torch.autograd.Function):        def apply(x, k):
        @staticmethod                                ctx.k = k
        def forward(ctx, x, k):           ->         (x,)
            ctx.k = k                                return x * k
            ctx.save_for_backward(x)
            return x * k

What `forward` keeps for `backward` is of no use to a call: an attribute of the context
is a local variable of the same name, and of a method that notes something for autograd
the arguments are left. Where `forward` does anything else with its context (hands it
on, asks what needs a gradient), that is refused.
"""

import ast
import copy
import inspect
import types
from dataclasses import dataclass, replace
from typing import Any, cast

from dycl.frontend.source import FunctionSource, NoSource, read

_NOTES = {
    "save_for_backward",
    "save_for_forward",
    "mark_dirty",
    "mark_non_differentiable",
    "set_materialize_grads",
}
"""Methods of a context that change no value."""


class Applied:
    """`cls.apply`, as a function that can be lowered; equal for the same class."""

    def __init__(self, cls: type):
        self.cls = cls
        self.__module__ = cls.__module__
        self.__qualname__ = f"{cls.__qualname__}.apply"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Applied) and other.cls is self.cls

    def __hash__(self) -> int:
        return hash((Applied, self.cls))

    def source(self) -> FunctionSource:
        """What a call runs, context and all. NoSource: it cannot be read."""
        forward = _below_autocast(cast(Any, self.cls).forward)
        return read(getattr(forward, "__func__", forward))

    @property
    def is_bound(self) -> bool:
        """Whether `forward` takes the class in front of all else."""
        forward = inspect.getattr_static(self.cls, "forward")
        return isinstance(forward, classmethod)

    @property
    def has_context(self) -> bool:
        """Whether `forward` takes one: not where `setup_context` does."""
        base = torch_function().setup_context
        return cast(Any, self.cls).setup_context is base


@dataclass(frozen=True)
class Plain:
    """A `forward` without its class and its context."""

    source: FunctionSource
    cls: str
    """The name that the class had; empty if it is no class method."""
    context: str
    """The name that the context had; empty if it had none."""
    used: ast.Name | None
    """Where it is used for more than its attributes."""


def forward_of(function: Applied) -> Plain:
    """The function without these parameters. NoSource: it has not got them."""
    source = function.source()
    node = copy.deepcopy(source.node)
    parameters = node.args.posonlyargs or node.args.args
    removed = function.is_bound + function.has_context
    if not isinstance(node, ast.FunctionDef) or len(parameters) < removed:
        raise NoSource(source.function.__qualname__)
    cls = parameters.pop(0).arg if function.is_bound else ""
    context = parameters.pop(0).arg if function.has_context else ""
    if context:
        node.body = [_WithoutContext(context).visit(item) for item in node.body]
    uses = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == context]
    source = replace(source, node=node)
    return Plain(source, cls, context, uses[0] if uses else None)


def torch_function() -> Any:
    """`torch.autograd.Function`."""
    import torch

    return torch.autograd.Function


def _below_autocast(function: Any) -> Any:
    """The function below `torch.amp.custom_fwd`: inference here is at full width."""
    names = getattr(function, "__globals__", {})
    is_autocast = names.get("__name__") == "torch.amp.autocast_mode"
    return getattr(function, "__wrapped__", function) if is_autocast else function


def applied(value: Any) -> Applied | None:
    """What `apply` of a class is, as a function; None for anything else.

    It is written in Python up to torch 2.13, and in C from 2.14 on.
    """
    if not isinstance(value, types.MethodType | types.BuiltinMethodType):
        return None
    cls, base = value.__self__, torch_function()
    if not isinstance(cls, type) or not issubclass(cls, base):
        return None
    own, torchs = (inspect.getattr_static(one, "apply") for one in (cls, base))
    if own is not torchs or value != cast(Any, cls).apply:
        return None
    return Applied(cls)


class _WithoutContext(ast.NodeTransformer):
    """Attributes of the context as local variables; what it notes is left out."""

    def __init__(self, context: str):
        self.context = context

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`ctx.k` is a variable that nobody else can write."""
        node = cast(ast.Attribute, self.generic_visit(node))
        if not self._is_context(node.value) or node.attr == "needs_input_grad":
            return node
        return ast.copy_location(
            ast.Name(f"{self.context}.{node.attr}", node.ctx), node
        )

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """`ctx.save_for_backward(x)` evaluates its arguments."""
        call = node.value
        noted = (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and self._is_context(call.func.value)
            and call.func.attr in _NOTES
        )
        if not noted:
            return self.generic_visit(node)
        assert isinstance(call, ast.Call)
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        value = ast.copy_location(ast.Tuple(given, ast.Load()), call)
        return self.generic_visit(ast.copy_location(ast.Expr(value), node))

    def _is_context(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.context
