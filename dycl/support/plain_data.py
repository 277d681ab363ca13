"""Python values as bytes, and back: JSON, which runs nothing when it is read.

    Tensor((4, 8), f32)   [["tuple",4,8],["Attribute","f32"],["Tensor",[0],[1]],[2]]

Each row is a value that is made of parts: what it is, then the parts. A part is a
number, a text, `true`, `false` or `null`, or `[n]` for row `n`, which comes earlier;
equal rows are written once. The last item is the value itself. Lists and dicts are
written as often as they occur: who changes one does not change another.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, cast

_ATOMS = (type(None), bool, int, float, str)


class NotPlainData(Exception):
    """A value, or a part of it, that a format has no form for."""


class DamagedData(Exception):
    """Bytes that a format has not written."""


@dataclass(frozen=True)
class Form:
    """How values of some classes are taken apart and made again."""

    name: str
    """What stands first in their rows."""
    covers: Callable[[Any], bool]
    """Whether a value has this form."""
    parts: Callable[[Any], Sequence[object]]
    """What it is made of. Raises NotPlainData."""
    make: Callable[[list[Any]], object]
    """The value of these parts; raises what it likes for others than `parts` gives."""


def form_of(cls: type) -> Form:
    """The form of a dataclass: its fields, in order."""
    names = [field.name for field in fields(cast(Any, cls))]
    return Form(
        cls.__name__,
        lambda value: type(value) is cls,
        lambda value: [getattr(value, name) for name in names],
        lambda parts: cls(*parts),
    )


def _builtin(
    cls: type,
    parts: Callable[[Any], Sequence[object]],
    make: Callable[[list[Any]], object] | None = None,
) -> Form:
    return Form(cls.__name__, lambda v: type(v) is cls, parts, make or cls)


_BUILTIN = (
    _builtin(tuple, list),
    _builtin(list, list, list),
    _builtin(frozenset, lambda value: sorted(value, key=repr)),
    _builtin(
        dict,
        lambda value: list(chain.from_iterable(value.items())),
        lambda parts: dict(zip(parts[::2], parts[1::2], strict=True)),
    ),
    _builtin(slice, lambda v: [v.start, v.stop, v.step], lambda parts: slice(*parts)),
    _builtin(complex, lambda v: [v.real, v.imag], lambda parts: complex(*parts)),
)
_CHANGING = ("list", "dict")


class Format:
    """What may be written: Python's own values, and those of some forms."""

    def __init__(self, *forms: Form | type):
        """`forms`: a class stands for its form as a dataclass."""
        chosen = [form if isinstance(form, Form) else form_of(form) for form in forms]
        self._forms = {form.name: form for form in (*_BUILTIN, *chosen)}
        if len(self._forms) < len(_BUILTIN) + len(chosen):
            raise ValueError("two forms have one name")

    def to_bytes(self, value: object) -> bytes:
        """The value as bytes, the same in every process. Raises NotPlainData."""
        rows: list[str] = []
        known: dict[str, int] = {}

        def written(value: object) -> str:
            if type(value) in _ATOMS:
                return _json(value)
            form = self._form_of(value)
            parts = map(written, form.parts(value))
            row = f"[{','.join((_json(form.name), *parts))}]"
            number = None if form.name in _CHANGING else known.get(row)
            if number is None:
                number = known[row] = len(rows)
                rows.append(row)
            return f"[{number}]"

        root = written(value)
        return f"[{','.join((*rows, root))}]".encode()

    def from_bytes(self, data: bytes) -> Any:
        """The value that was written. Raises DamagedData."""
        try:
            *rows, root = json.loads(data)
            values: list[object] = []

            def read(part: object) -> object:
                return values[part[0]] if isinstance(part, list) else part

            for name, *parts in rows:
                values.append(self._forms[name].make([read(part) for part in parts]))
            return read(root)
        except Exception as error:
            raise DamagedData(f"{type(error).__name__}: {error}") from error

    def _form_of(self, value: object) -> Form:
        for form in self._forms.values():
            if form.covers(value):
                return form
        raise NotPlainData(f"a value of type {type(value).__name__}")


def _json(value: object) -> str:
    try:
        return json.dumps(value)
    except ValueError as error:  # an integer of thousands of digits
        raise NotPlainData(str(error)) from error
