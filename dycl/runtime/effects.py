"""What a host does besides computing: exceptions, log records, warnings."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dycl.runtime.zipping import zip_equal

_stand_ins: dict[tuple[str, type[BaseException]], type[BaseException]] = {}
_registries: dict[str, dict[str | tuple[str, type[Warning], int], int]] = {}
"""For each file the warnings that were shown, as modules keep them."""


class IterationLimit(RuntimeError):
    """A loop ran more often than `max_iterations` allows."""

    code = "DY602"


def rounds(limit: int, file: str, line: int) -> Callable[[], None]:
    """Counts the iterations of one run of a loop, one at each call.

    The call after `limit` of them raises IterationLimit.
    """
    count = 0

    def next_round() -> None:
        nonlocal count
        count += 1
        if count > limit:
            raise IterationLimit(
                f"the loop at {file}:{line} runs more than {limit} times, which is its "
                f"max_iterations ({IterationLimit.code})"
            )

    return next_round


class RecursionLimit(RecursionError):
    """More calls of a function in itself were open than `max_recursion` allows."""

    code = "DY605"


def too_deep(limit: int, file: str, line: int) -> RecursionLimit:
    """What is raised for a call at this line that is in `limit` others."""
    return RecursionLimit(
        f"the call at {file}:{line} is in {limit} others that are still open, which is "
        f"max_recursion ({RecursionLimit.code})"
    )


def deeply(
    limit: int | None, function: Callable[..., Any], *arguments: object
) -> object:
    """`function(*arguments)`, which may have `limit` calls in one another.

    Python's own limit is raised for it as far as that takes.
    """
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(before + _FRAMES * (limit or 0))
    try:
        return function(*arguments)
    finally:
        sys.setrecursionlimit(before)


_FRAMES = 4
"""Python's calls in one call of a local function: the function, and parts of it."""


def make_exception(
    name: str, base: type[BaseException], arguments: tuple[object, ...]
) -> BaseException:
    """The exception `name(*arguments)`.

    Where the user's class is not loaded, a class of the same name stands in for it,
    derived from `base`, the builtin class that the user's derives from.
    """
    cls = _loaded(name)
    if not (isinstance(cls, type) and issubclass(cls, base)):
        key = (name, base)
        if key not in _stand_ins:
            module, _, short = name.rpartition(".")
            _stand_ins[key] = type(short, (base,), {"__module__": module})
        cls = _stand_ins[key]
    return cls(*arguments)


def _loaded(name: str) -> Any:
    """The object of this full name, if its module is imported already; else None."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        result: Any = sys.modules.get(".".join(parts[:count]))
        if result is not None:
            for part in parts[count:]:
                result = getattr(result, part, None)
            return result
    return None


def log(file: str, line: int, method: str, name: str, first: Any, *rest: Any) -> None:
    """`getLogger(name).<method>(first, *rest)`, told of as from the user's line."""
    logger = logging.getLogger(name)
    if not name and not logger.handlers:
        logging.basicConfig()
    level, arguments = first, rest
    if method != "log":
        level = _LEVELS[method]
        arguments = (first, *rest)
    if logger.isEnabledFor(level):
        message, *values = arguments
        record = logger.makeRecord(
            logger.name, level, file, line, message, tuple(values), None
        )
        logger.handle(record)


def do_effect(entry: Mapping[str, Any], values: Sequence[Any]) -> None:
    """What host.json calls an effect, with the values of its arguments."""
    count: int = entry["positional"]
    given, function = list(values[:count]), str(entry["function"])
    if function in _CHECKS:
        holds, text = given
        if not holds:
            raise _CHECKS[function](text)
    elif function == "builtins.print":
        named = dict(zip_equal(entry["keywords"], values[count:]))
        if named.get("file") is not None:
            named["file"] = getattr(sys, named["file"])
        print(*given, **named)
    elif function == "warnings.warn":
        warn(entry["file"], entry["line"], *given)
    else:
        if not function.startswith("logging.Logger."):
            given.insert(0, "")
        method = function.rpartition(".")[2]
        log(entry["file"], entry["line"], method, *given)


_CHECKS: dict[str, type[Exception]] = {
    "torch._check": RuntimeError,
    "torch._check_index": IndexError,
}
_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "fatal": logging.CRITICAL,
}


def warn(file: str, line: int, text: str, category: str) -> None:
    """`warnings.warn(text, category)`, told of as from the user's line."""
    category_class: type[Warning] = _loaded(category)
    module = file.removesuffix(".py")
    registry = _registries.setdefault(file, {})
    warnings.warn_explicit(text, category_class, file, line, module, registry)
