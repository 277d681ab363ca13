"""`children`, `modules`, `parameters`, `buffers` of a module, in torch's order.

The frontend records that order if a function asks for it, as a member of each module:

    __order__ = {"modules": [names], "parameters": [names], "buffers": [names]}

The walk itself is torch's: over modules of the same shape that hold references.
"""

from typing import Any, cast

from dycl.ir.environment import Environment
from dycl.ir.values import ObjectRef, ParamRef

ORDER = "__order__"
TABLES = {"modules": "_modules", "parameters": "_parameters", "buffers": "_buffers"}
WALKS = frozenset(
    prefix + what
    for prefix in ("", "named_")
    for what in ("children", "modules", "parameters", "buffers")
)
"""Methods of `torch.nn.Module` that give an iterator."""


def walk(
    environment: Environment,
    ref: ObjectRef,
    method: str,
    args: list[object],
    kwargs: dict[str, object],
) -> tuple[object, ...] | None:
    """What one of `WALKS` goes over; None: it is not known, or the user's own.

    Raises TypeError for arguments that it does not take.
    """
    members = environment.members(ref.path)
    if method in members or ORDER not in members or "__getattribute__" in members:
        return None
    start = _skeleton(environment, ref, {})
    if start is None:
        return None
    return tuple(map(_reference, getattr(start, method)(*args, **kwargs)))


def _reference(found: Any) -> object:
    """What stands for a module, a tensor, or a pair of its name and one of them."""
    if isinstance(found, tuple):
        return tuple(map(_reference, cast("tuple[object, ...]", found)))
    return getattr(found, "reference", found)


def _skeleton(environment: Environment, ref: ObjectRef, made: dict[str, Any]) -> Any:
    """A module with the children and tensors of an object; None: some are unknown."""
    from torch import nn

    if ref.path in made:
        return made[ref.path]
    module: Any = nn.Module()
    object.__setattr__(module, "reference", ref)
    made[ref.path] = module
    members = environment.members(ref.path)
    order = cast("dict[str, list[str]] | None", members.get(ORDER))
    if order is None:
        return None
    hidden = cast("dict[str, object]", members.get("__hidden__", {}))
    for kind, table in TABLES.items():
        for name in order[kind]:
            value = hidden[name] if name in hidden else members.get(name)
            if environment.changes(ref.path, name):
                return None
            if isinstance(value, ObjectRef):
                value = _skeleton(environment, value, made)
                if value is None:
                    return None
            elif value is not None and not isinstance(value, ParamRef):
                return None
            getattr(module, table)[name] = value
    return module
