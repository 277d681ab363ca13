"""Modules that `forward` makes: `nn.Softmax(dim=-1)(x)`.

Before                                 After
------                                 -----
%m = dycl.call %Softmax("dim" = %one)  %m = dycl.constant @"made Softmax"
%y = dycl.call %m(%x)                  %y = dycl.call %m(%x)
dycl.return %y                         dycl.return %y

torch makes the module, when the program is compiled. Weights are literals if all calls
would make the same ones (of `LayerNorm`); a module that draws them, or that has buffers
or other modules, is refused. It is in training mode, as in eager.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.ir import Attribute, SSAValue

from dycl.analysis.folding.evaluation import tensor_constant
from dycl.ir import CallOp, ObjectOp, UnsupportedOp
from dycl.ir.arrays import MAX_ELEMENTS
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.environment import Environment
from dycl.ir.library import resolve_global
from dycl.ir.rewriting import insert_constant, insert_value
from dycl.ir.values import (
    GlobalRef,
    NotAConstant,
    ObjectRef,
    UnsupportedRef,
    to_attr,
)

_HELP = "make it once, in `__init__`, and call it here"


def made_module(op: CallOp, environment: Environment) -> SSAValue | None:
    """The module of torch that a call makes; None: it makes none, or not yet.

    A refusal's value, where it makes one that cannot be compiled.
    """
    callee = constant_value(op.callee)
    cls = _class_of_torch(callee)
    if cls is None or op.is_starred:
        return None
    name = str(cls.__name__)
    given = [constant_value(value) for value in op.arguments]
    if any(value is MISSING for value in given):
        return None
    members: dict[str, object]
    if name == "Sequential" and all(isinstance(v, ObjectRef) for v in given):
        members = {"__items__": given, "training": True}
    elif any(isinstance(v, ObjectRef) for v in given):
        return None
    else:
        names = op.keyword_names
        count = len(given) - len(names)
        arguments = [environment.resolve(v) for v in given]
        keywords = dict(zip(names, arguments[count:], strict=True))
        try:
            module, is_drawn = _made(lambda: cls(*arguments[:count], **keywords))
        except Exception:
            return None  # the run raises it, if it gets here
        try:
            own_members = _members(module, is_drawn)
        except _HasState as has:
            what = f"`{name}` is made while the network runs, with {has} each time"
            return insert_value(op, UnsupportedOp("DY201", what, _HELP))
        members = {"__leaf__": _full_name(cls), **own_members}
    members["__mro__"] = [_full_name(item) for item in cls.__mro__[:-1]]
    path = environment.add(f"made {name}", lambda path: _object(path, cls, members), op)
    return insert_constant(op, ObjectRef(path))


def _class_of_torch(callee: object) -> Any:
    """A class of modules of torch's own, or None."""
    if not isinstance(callee, GlobalRef) or not callee.name.startswith("torch.nn."):
        return None
    cls = resolve_global(callee.name)
    if not isinstance(cls, type):
        return None
    return cls if issubclass(cls, _module_class()) else None


def _module_class() -> type:
    return cast(type, resolve_global("torch.nn.Module"))


def _full_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


class _HasState(Exception):
    """A module has what each call makes anew: what."""


def _made(make: Callable[[], Any]) -> tuple[Any, bool]:
    """A module, and whether making it draws random numbers, which are drawn again."""
    import torch

    with torch.random.fork_rng(devices=[]):
        before = torch.random.get_rng_state()
        module = make()
        return module, not torch.equal(before, torch.random.get_rng_state())


def _members(module: Any, is_drawn: bool) -> dict[str, object]:
    """The attributes of a module. Raises _HasState."""
    inside = {**module._buffers, **module._modules}
    if any(value is not None for value in inside.values()):
        raise _HasState("new buffers" if module._buffers else "new modules inside")
    weights = dict(module._parameters)
    for name, value in weights.items():
        if value is None:
            continue
        if is_drawn or value.is_meta or value.numel() > MAX_ELEMENTS:
            raise _HasState("new weights")
        weights[name] = tensor_constant(value.detach())
    tables = vars(_module_class()()).keys() - {"training"}
    own = {name: v for name, v in vars(module).items() if name not in tables}
    return own | weights | inside


def _object(path: str, cls: type, members: dict[str, object]) -> ObjectOp:
    attributes = {name: _attribute(members[name]) for name in sorted(members)}
    return ObjectOp(path, _full_name(cls), attributes)


def _attribute(value: object) -> Attribute:
    plain = list(cast("Sequence[object]", value)) if isinstance(value, list) else value
    if type(value).__name__ in ("dtype", "device"):
        plain = GlobalRef(str(value)) if type(value).__name__ == "dtype" else None
    try:
        return to_attr(plain)
    except NotAConstant as why:
        return to_attr(UnsupportedRef(str(why)))
