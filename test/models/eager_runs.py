"""Copies of a model, what its calls end with, and how that is told apart.

A variant (`--sizes`) calls a copy of the model as eager does, and its network.
"""

import contextlib
import copy
import re
from enum import Enum

import sympy
import torch
from structures import leaves_of, with_tensors
from torch import nn
from variants import NoVariant, way

SINGLE = (type(None), type, Enum, torch.dtype)
"""Of these an object is equal to itself alone, as it should be."""


def copy_of(model):
    """A copy, in which tensors that a hook has computed of weights are given ones, as
    torch copies no others. NoVariant: it holds what cannot be copied."""
    modules = model.modules() if isinstance(model, nn.Module) else ()
    computed = {
        id(value): value.detach().clone()
        for module in modules
        for value in vars(module).values()
        if isinstance(value, torch.Tensor) and not value.is_leaf
    }
    try:
        return copy.deepcopy(model, computed)
    except Exception as error:
        raise NoVariant(f"it cannot be copied: {error!r}") from error


def is_held_by_hooks(model):
    """Whether hooks are functions around a module: those of a copy hold it as well, and
    read and change the model itself."""
    if not isinstance(model, nn.Module):
        return False
    hooks = [
        hook
        for module in model.modules()
        for kept in (module._forward_hooks, module._forward_pre_hooks)
        for hook in kept.values()
    ]
    cells = [
        cell for hook in hooks for cell in getattr(hook, "__closure__", None) or ()
    ]
    return any(isinstance(cell.cell_contents, nn.Module) for cell in cells)


def sides_of(path):
    """Test, file and line -> which sides it was decided for, in order."""
    found = {}
    for one in path:
        found.setdefault(way(one)[:3], []).append(one.taken)
    return found


def side_of(decision):
    """What eager's test of the tensor says, if it is negated in the source."""
    return decision.taken != decision.test.startswith("not ")


def parts_said(error, sizes):
    """The sizes of parts that a refusal names, such as `Max(-2 + n, 0)`."""
    for text in re.findall(r"`([^`]+)`", str(error)):
        with contextlib.suppress(SyntaxError, TypeError, sympy.SympifyError):
            found = sympy.sympify(text, sizes)
            if isinstance(found, sympy.Integer):
                yield int(found)


def outcome(run):
    """What it gives, and what it raises."""
    try:
        with torch.no_grad():
            return run(), None
    except Exception as error:
        return None, error


def plain(value):
    """A value with plain tensors: eager may give parameters.

    NoVariant: there is an object in it of which `==` does not say what it holds.
    """
    for leaf in leaves_of(value):
        kind = type(leaf)
        if kind.__eq__ is object.__eq__ and not isinstance(leaf, SINGLE):
            raise NoVariant(f"it gives an object of the class {kind.__name__}")
    return with_tensors(
        value, lambda _, one: one.data if isinstance(one, nn.Parameter) else one
    )
