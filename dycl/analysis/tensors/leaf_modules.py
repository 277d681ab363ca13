"""torch's own modules, rebuilt from their `dycl.object` ops.

A leaf module (`Environment.is_leaf`) is made again from its recorded members, without
its constructor: plain attributes as they are, parameters and buffers as tensors of the
caller's choice. Needs torch; imports it in the functions.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

from xdsl.dialects.builtin import DictionaryAttr

from dycl.analysis.tensors.leaf_forwards import FORWARDS
from dycl.ir.environment import Environment
from dycl.ir.library import resolve_global
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.recorded import FIXED, may_change
from dycl.ir.values import (
    FunctionRef,
    MethodRef,
    ObjectRef,
    ParamRef,
    UnsupportedRef,
    from_attr,
)


def parameters(environment: Environment, path: str) -> dict[str, ParamRef]:
    """The parameters and buffers of an object and all below: local name -> which.

    The order is that of the names. Objects that are met twice count once.
    """
    return dict(_parameters(environment, path, "", set()))


def _parameters(
    environment: Environment, path: str, prefix: str, seen: set[str]
) -> Iterator[tuple[str, ParamRef]]:
    if path in seen:
        return
    seen.add(path)
    for name, member in sorted(environment.members(path).items()):
        if isinstance(member, ParamRef):
            yield prefix + name, member
        for key, child in _objects(name, member):
            yield from _parameters(environment, child.path, f"{prefix}{key}.", seen)


def _objects(name: str, member: object) -> Iterator[tuple[str, ObjectRef]]:
    """The objects that a member is or, for `__items__`, holds."""
    if isinstance(member, ObjectRef):
        yield name, member
    elif name == "__items__":
        for key, item in _entries(member):
            if isinstance(item, ObjectRef):
                yield key, item


def _entries(items: object) -> list[tuple[str, object]]:
    if isinstance(items, dict):
        entries = cast(dict[object, object], items).items()
        return [(str(key), item) for key, item in entries]
    return [(str(i), item) for i, item in enumerate(cast(list[object], items))]


def signature(environment: Environment, path: str) -> object:
    """A hashable key: equal keys mean that calls do the same, up to parameters."""
    parts = environment.op(path).derived(_plain_parts)
    if parts is not None:
        return (environment.class_name(path), parts)
    return _signature(environment, path, ())


def _plain_parts(members: DictionaryAttr) -> tuple[object, ...] | None:
    """What the signature has of the members, if none is an object or may change."""
    found: dict[str, object] = {k: from_attr(v) for k, v in members.data.items()}
    if any(
        isinstance(v, ObjectRef) or (may_change(v) and name not in FIXED)
        for name, v in found.items()
    ):
        return None
    return tuple((name, _plain(member)) for name, member in sorted(found.items()))


def _plain(member: object) -> object:
    if isinstance(member, ParamRef):
        return (member.shape, member.dtype)
    return (type(member).__name__, repr(member))


def _signature(environment: Environment, path: str, outer: tuple[str, ...]) -> object:
    if path in outer:
        return outer.index(path)
    outer = (*outer, path)

    def one(member: object) -> object:
        match member:
            case ObjectRef(inner):
                return _signature(environment, inner, outer)
            case _:
                return _plain(member)

    members = sorted(environment.members(path).items())
    parts = [
        (name, tuple((key, one(item)) for key, item in _entries(member)))
        if name == "__items__"
        else (name, one(member))
        for name, member in members
    ]
    return (environment.class_name(path), tuple(parts))


def build(
    environment: Environment, path: str, tensor: Callable[[str, ParamRef], object]
) -> Any:
    """The module of an object; `tensor` gives each parameter by local name.

    Raises NotEvaluated if the object is not recorded, and what importing its class
    raises.
    """
    return _build(environment, path, "", tensor, {})


def _build(
    environment: Environment,
    path: str,
    prefix: str,
    tensor: Callable[[str, ParamRef], object],
    built: dict[str, Any],
) -> Any:
    if path in built:
        return built[path]
    from torch import nn

    cls = cast(Any, _class(environment.class_name(path)))
    module = built[path] = cls.__new__(cls)
    nn.Module.__init__(module)
    for name, member in sorted(environment.members(path).items()):
        if name == "__items__":
            for key, item in _entries(member):
                if isinstance(item, ObjectRef):
                    below = _build(
                        environment, item.path, f"{prefix}{key}.", tensor, built
                    )
                    module.add_module(key, below)
        elif not name.startswith(("__", "super(")):
            _set_member(environment, module, prefix, name, member, tensor, built)
    if hasattr(module, "_flat_weights_names"):  # the recurrent modules' own index
        names = cast(list[str], module._flat_weights_names)
        module._flat_weights = [getattr(module, name, None) for name in names]
        module._flat_weight_refs = [None] * len(names)
    if (forward := FORWARDS.get(environment.class_name(path))) is not None:
        module.__dict__["forward"] = partial(forward, module)
    return module


def _class(name: str) -> object:
    """The class of that name; parametrisations, for one, make classes without one."""
    try:
        return resolve_global(name)
    except (ImportError, AttributeError):
        raise NotEvaluated(
            f"the class `{name}` cannot be imported by its name"
        ) from None


def _set_member(
    environment: Environment,
    module: Any,
    prefix: str,
    name: str,
    member: object,
    tensor: Callable[[str, ParamRef], object],
    built: dict[str, Any],
) -> None:
    match member:
        case FunctionRef() | MethodRef() | UnsupportedRef():
            return
        case ParamRef():
            # Not registered: torch wants `Parameter`s there, we have other tensors.
            module.__dict__[name] = tensor(prefix + name, member)
        case ObjectRef(below):
            inner = _build(environment, below, f"{prefix}{name}.", tensor, built)
            setattr(module, name, inner)
        case _:
            module.__dict__[name] = environment.resolve(member)
