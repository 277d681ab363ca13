"""What a run does besides computing, done by Python itself."""

import builtins
import importlib
import logging
import sys
import warnings
from collections.abc import Sequence

from dycl.ir.dialect import EffectOp, RaiseOp
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.library import resolve_global
from dycl.ir.unpacking import split_arguments


def exception_of(op: RaiseOp, values: Sequence[object]) -> BaseException:
    """The exception that an op raises; of the builtin class where it must stand in."""
    cls = _class(op.exception_name) or _class(op.base_name)
    assert cls is not None
    return cls(*values)


def perform(op: EffectOp, operands: Sequence[object]) -> None:
    """Do what an effect does."""
    args, kwargs = split_arguments(op, operands)
    name = op.function_name
    if name in CHECKS.values():
        if not args[0]:
            error = next(e for e, function in CHECKS.items() if function == name)
            raise getattr(builtins, error)(args[1])
    elif name == "warnings.warn":
        text, category = args
        warnings.warn(str(text), _warning(str(category)), stacklevel=2)
    elif name.startswith("logging.Logger."):
        method = name.rpartition(".")[2]
        getattr(logging.getLogger(str(args[0])), method)(*args[1:], **kwargs)
    else:
        if "file" in kwargs:
            kwargs["file"] = getattr(sys, str(kwargs["file"]))
        getattr(
            importlib.import_module(name.partition(".")[0]), name.partition(".")[2]
        )(*args, **kwargs)


def _class(name: str) -> type[BaseException] | None:
    try:
        cls = resolve_global(name)
    except (ImportError, AttributeError):
        return None
    if isinstance(cls, type) and issubclass(cls, BaseException):
        return cls
    return None


def _warning(name: str) -> type[Warning]:
    category = _class(name)
    return (
        category
        if category is not None and issubclass(category, Warning)
        else UserWarning
    )
