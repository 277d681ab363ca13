"""What `*`, `**` and indices stand for, by Python's rules."""

import builtins
import operator
from collections.abc import Sequence
from typing import Any, cast

from dycl.ir.dialect.calls import CallLike
from dycl.ir.environment import Environment
from dycl.ir.not_evaluated import NotEvaluated


def split_arguments(
    op: CallLike, arguments: Sequence[object], environment: Environment | None = None
) -> tuple[list[object], dict[str, object]]:
    """Positional and keyword arguments, from the operands behind the callee.

    Raises TypeError where Python does: a name given twice, or one that is no string.
    """
    names = op.keyword_names
    count = len(arguments) - len(names)
    args, kwargs = list(arguments[:count]), dict[str, object]()
    for name, value in zip(names, arguments[count:], strict=True):
        starred = name in ("*", "**")
        if starred and environment is None:
            raise NotEvaluated("what `*` or `**` stands for in this call")
        if name == "*" and environment is not None:
            args += environment.iterate(value)
            continue
        entries = (
            environment.mapping(value) if environment and starred else {name: value}
        )
        for key, one in entries.items():
            if not isinstance(key, str):
                raise TypeError("keywords must be strings")
            if key in kwargs:
                raise TypeError(f"got multiple values for keyword argument '{key}'")
            kwargs[key] = one
    return args, kwargs


def position(key: Any, keys: object, error: str) -> int:
    """Where a key stands among `keys`, as `dycl.position` says.

    Raises IndexError, KeyError or what else `error` names when it does not.
    """
    if isinstance(keys, int):
        index = operator.index(key)
        result = index + keys if index < 0 else index
        if 0 <= result < keys:
            return result
        key = index
    else:
        table = cast("tuple[object, ...]", keys)
        if key in table:
            return table.index(key)
        result = len(table)
    if not error:
        return result
    kind, _, text = error.partition(": ")
    raise getattr(builtins, kind)(text.format(key) if text else key)


def starred(items: Sequence[Any], count: int, star: int) -> list[Any]:
    """What the `count` targets of `a, *b, c = items` get, the starred one a list.

    ValueError: there are too few items.
    """
    rest = len(items) - (count - 1)
    if rest < 0:
        raise ValueError(
            f"not enough values to unpack (expected at least {count - 1}, "
            f"got {len(items)})"
        )
    middle = list(items[star : star + rest])
    return [*items[:star], middle, *items[star + rest :]]
