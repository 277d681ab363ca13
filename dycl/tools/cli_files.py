"""The user's files that the command line names: what is in them, or why nothing is."""

import importlib
import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from dycl.tools.usage import UsageError, UserError


def split_target(target: str) -> tuple[Path, str]:
    """`net.py:build` -> (net.py, "build"). UsageError: not of that form, or no file."""
    file, colon, name = target.rpartition(":")
    if not colon or not file.endswith(".py") or not name.isidentifier():
        file = target.removesuffix(":")
        hint = f"{file}:build" if file.endswith(".py") else "net.py:build"
        raise UsageError(f"'{target}' names no model; write FILE.py:NAME, as in {hint}")
    if not Path(file).is_file():
        raise UsageError(f"there is no file '{file}'")
    return Path(file), name


def load_exported(file: Path) -> Any:
    """The program in a file of `torch.export.save`. UsageError, UserError."""
    if not file.is_file():
        raise UsageError(f"there is no file '{file}'")
    import torch

    try:
        return torch.export.load(str(file))
    except Exception as error:
        raise UserError(f"'{file}' cannot be loaded\n{_trace(error)}") from error


def load_file(file: Path) -> ModuleType:
    """Import a Python file; one inside a package by its full name.

    UsageError: another module has its name. UserError: it fails.
    """
    folder = file.resolve().parent
    parts = [file.stem]
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    name = ".".join(parts)
    sys.path[:0] = [str(folder)]
    try:
        # `import` finds what `name` means for everybody else: it must be this file.
        spec = importlib.util.find_spec(name)
        origin = None if spec is None else spec.origin
        if origin is None or Path(origin).resolve() != file.resolve():
            raise UsageError(
                f"'{file}' has the name of the Python module `{name}`; rename it"
            )
        return importlib.import_module(name)
    except UsageError:
        raise
    except Exception as error:
        raise UserError(f"'{file}' cannot be imported\n{_trace(error)}") from error


def find_model(module: ModuleType, name: str, target: str) -> Any:
    """The `torch.nn.Module` that `name` gives. UsageError, UserError."""
    import torch

    if not hasattr(module, name):
        raise UsageError(f"there is no '{name}' in {target.rpartition(':')[0]}")
    result = getattr(module, name)
    if inspect.isclass(result) or not isinstance(result, torch.nn.Module):
        if not callable(result):
            raise UsageError(f"'{target}' is a {type(result).__name__}, not a model")
        result = _call(result, target)
    if not isinstance(result, torch.nn.Module):
        kind = type(result).__name__
        raise UsageError(f"'{target}' returns a {kind}, not a torch.nn.Module")
    return result


def example_inputs(module: ModuleType, target: str) -> tuple[Any, ...]:
    """What the function `example_inputs` of a file gives. UsageError, UserError."""
    make = getattr(module, "example_inputs", None)
    if make is None:
        file = target.rpartition(":")[0]
        raise UsageError(
            f"say what the inputs are: --input f32[1,3,32,32] for each, "
            f"or a function example_inputs() in {file}"
        )
    return tuple(_call(make, f"{target.rpartition(':')[0]}:example_inputs"))


def _call(function: Any, target: str) -> Any:
    try:
        return function()
    except Exception as error:
        raise UserError(f"'{target}' fails\n{_trace(error)}") from error


def _trace(error: Exception) -> str:
    """The traceback from the first line that is not ours or importlib's."""
    frames = traceback.extract_tb(error.__traceback__)
    own = (__file__, importlib.__file__ or "", "<frozen importlib")
    shown = [frame for frame in frames if not frame.filename.startswith(own)]
    lines = traceback.format_list(shown) + traceback.format_exception_only(error)
    return "".join(lines).rstrip()
