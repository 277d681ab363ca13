"""Structures of tensors, as the arguments and results of models: what is where.

A place is what leads to a tensor, as `("x",)` or `("batch", "ids")` in arguments by the
names of parameters.
"""

import copy
import dataclasses

import numpy as np
import torch

from dycl.driver.inputs import parameter_names


def parts_of(value):
    """Key -> item of a structure; None: it is none."""
    if isinstance(value, dict):
        return value
    if hasattr(value, "_fields"):
        return value._asdict()
    if type(value) in (tuple, list):
        return dict(enumerate(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
    return None


def made_of(value, parts):
    """A structure like `value` of other parts."""
    if isinstance(value, dict):
        return type(value)(parts)
    if hasattr(value, "_fields"):
        return value._replace(**parts)
    if type(value) in (tuple, list):
        return type(value)(parts.values())
    made = copy.copy(value)  # `replace` computes what is no argument once more.
    for name, part in parts.items():
        object.__setattr__(made, name, part)
    return made


def is_tensor(value):
    return isinstance(value, torch.Tensor | np.ndarray)


def tensors_at(value, place=()):
    """Place -> each tensor in a structure."""
    if is_tensor(value):
        return {place: value}
    found = {}
    for key, part in (parts_of(value) or {}).items():
        found |= tensors_at(part, (*place, key))
    return found


def with_tensors(value, change, place=()):
    """The same structure, of which each tensor is `change(place, tensor)`."""
    if is_tensor(value):
        return change(place, value)
    parts = parts_of(value)
    if parts is None:
        return value
    changed = {k: with_tensors(v, change, (*place, k)) for k, v in parts.items()}
    return made_of(value, changed)


def leaves_of(value):
    """What is no structure, of all there is in one."""
    parts = None if is_tensor(value) else parts_of(value)
    if parts is None:
        return [] if is_tensor(value) else [value]
    return [leaf for part in parts.values() for leaf in leaves_of(part)]


def arguments_of(model, args, kwargs):
    """Parameter -> argument."""
    names = parameter_names(model, len(args))
    return dict(zip(names, args, strict=False)) | dict(kwargs)


def with_arguments(model, args, kwargs, change):
    """The same arguments, of which each tensor is `change(place, tensor)`."""
    names = parameter_names(model, len(args))[: len(args)]
    made = with_tensors(arguments_of(model, args, kwargs), change)
    return tuple(made[name] for name in names), {name: made[name] for name in kwargs}


def names_at(value, name):
    """Place -> what an error or an option calls each tensor, as `batch['ids']`."""
    if is_tensor(value):
        return {(): name}
    found = {}
    for key, part in (parts_of(value) or {}).items():
        is_item = type(value) in (tuple, list) or isinstance(value, dict)
        inner = f"{name}[{key!r}]" if is_item else f"{name}.{key}"
        found |= {(key, *rest): said for rest, said in names_at(part, inner).items()}
    return found
