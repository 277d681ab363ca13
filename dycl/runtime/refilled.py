"""Lists and dicts of the caller's that a network changes: they are filled anew.

A run reads its arguments and changes none; it returns what each list and dict that the
model may change is to hold. That is put there when the call has ended. What was an
argument stays the caller's own object: `Given` says which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from dycl.runtime.inputs import InputError
from dycl.runtime.signature import Held
from dycl.runtime.tensors import to_torch
from dycl.runtime.variables import Row
from dycl.runtime.zipping import zip_equal


@dataclass(frozen=True)
class Given:
    """Stands in what a run returns for an argument: an input, or a list or dict."""

    what: int | str
    """The place of the input, or how the user reaches the list or dict."""


class RefilledArguments:
    """The lists and dicts among its arguments that a network may change."""

    def __init__(self, rows: Sequence[Row]):
        self._names = [row.name for row in rows]

    def __len__(self) -> int:
        return len(self._names)

    def check(self, held: Held) -> None:
        """InputError: one that may be changed was given twice."""
        for name in self._names:
            for other, value in held.items():
                if other != name and value is held.get(name):
                    raise InputError(
                        f"the network changes the {type(value).__name__} `{name}`, "
                        f"which was given as `{other}` too"
                    )

    def fill(
        self,
        held: Held,
        inputs: Sequence[object],
        new: Sequence[object],
        saw_torch: bool,
    ) -> None:
        """Put what a call has returned for each into the caller's lists and dicts.

        `inputs` are the caller's tensors and numbers. An argument that was left out,
        since it is the default, is nobody's.
        """
        items = [_resolved(_for(v, saw_torch), inputs, held) for v in new]
        for name, content in zip_equal(self._names, items):
            target = held.get(name)
            if isinstance(target, list):
                target[:] = cast("list[Any]", content)
            elif target is not None:
                target.clear()
                target.update(cast("dict[Any, Any]", content))


def _for(value: object, saw_torch: bool) -> object:
    return to_torch(value) if saw_torch else value


def _resolved(
    value: object, inputs: Sequence[object], held: Mapping[str, object]
) -> Any:
    """The value with the caller's own objects in it."""
    if isinstance(value, Given):
        what = value.what
        return inputs[what] if isinstance(what, int) else held[what]
    if type(value) in (list, dict):
        return _items(cast("list[Any] | dict[Any, Any]", value), inputs, held)
    if type(value) is tuple:
        return tuple(_items(list(cast("tuple[Any, ...]", value)), inputs, held))
    return value


def _items(
    value: list[Any] | dict[Any, Any],
    inputs: Sequence[object],
    held: Mapping[str, object],
) -> Any:
    if isinstance(value, list):
        return [_resolved(item, inputs, held) for item in value]
    return {key: _resolved(item, inputs, held) for key, item in value.items()}
