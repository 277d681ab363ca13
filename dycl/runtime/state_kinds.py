"""Which of the kinds that a network is compiled for its state is of.

A kind has, for each variable that a call takes, its structure and the arguments for the
tensors and numbers in it. Each call looks for its kind, so that is done without
exceptions; why there is none is found out later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from dycl.runtime.buffers import Array, adopt, allocate
from dycl.runtime.dtypes import dtype_name, numpy_dtype
from dycl.runtime.inputs import InputError, InputSpec, accept_one
from dycl.runtime.kernels import Argument
from dycl.runtime.open_shapes import shape_text
from dycl.runtime.variables import NO_VALUE, Row
from dycl.runtime.zipping import zip_equal

Look = Callable[[Any, "list[Argument]"], bool]
"""Whether a value fits; if so, its leaves are put among the arguments."""

_MOST_WORDS = 4
"""Items that a message shows."""


class _Wanted(NamedTuple):
    """What a kind takes for a variable."""

    name: str
    look: Look
    words: str


class Kinds:
    """The kinds of state of one network."""

    def __init__(
        self, rows: Sequence[Row], specs: Sequence[InputSpec], number: int | None
    ):
        """`rows` are those that a call takes; `specs` are the arguments behind the
        user's, and `number` is the place of the kind's number among them."""
        self._number = number
        self._unused = [_unused(spec) for spec in specs]
        count = max((len(row.given) for row in rows), default=1)
        # As eager tells 3 from 3.0; only what is of no kind then may be made one.
        self._exact, self._close = (
            [[_wanted(row, n, specs, leaf) for row in rows] for n in range(count)]
            for leaf in (_exactly, _nearly)
        )

    def arguments(self, values: Mapping[str, object]) -> list[Argument]:
        """What the host is given behind the user's inputs.

        InputError: the values are of no kind that the network was compiled for.
        """
        for kinds in (self._exact, self._close):
            for number, kind in enumerate(kinds):
                found = self._unused.copy()
                for name, look, _ in kind:
                    if not look(values.get(name, NO_VALUE), found):
                        break
                else:
                    if self._number is not None:
                        found[self._number] = number
                    return found
        raise self._why(values)

    def _why(self, values: Mapping[str, object]) -> InputError:
        """Says of the first variable that is of no kind what it may be; if there is
        none, which variables are of no kind together."""
        unused = self._unused.copy()
        fits = [
            [one.look(values.get(one.name, NO_VALUE), unused) for one in kind]
            for kind in self._close
        ]
        for each, found in zip_equal(zip_equal(*self._close), zip_equal(*fits)):
            if not any(found):
                name = each[0].name
                words = _words(values.get(name, NO_VALUE))
                known = " or ".join(dict.fromkeys(one.words for one in each))
                return InputError(
                    f"the state `{name}` is {words}; the network was compiled for "
                    f"{known}"
                )
        nearest = max(range(len(fits)), key=lambda kind: sum(fits[kind]))
        kind, found = self._close[nearest], fits[nearest]
        wrong = kind[found.index(False)]
        words = _words(values.get(wrong.name, NO_VALUE))
        fitting = [one for one, fit in zip_equal(kind, found) if fit]
        while_so = " and ".join(f"`{one.name}` is {one.words}" for one in fitting)
        return InputError(
            f"the state `{wrong.name}` is {words}, but must be {wrong.words} while "
            f"{while_so}: set them together"
        )


def _wanted(
    row: Row,
    kind: int,
    specs: Sequence[InputSpec],
    leaf: Callable[[int, InputSpec], Look],
) -> _Wanted:
    structure, places = row.given[kind]
    own = [InputSpec(row.name, specs[p].dtype, specs[p].shape) for p in places]
    looks = iter([leaf(place, spec) for place, spec in zip_equal(places, own)])
    return _Wanted(row.name, _look(structure, looks), _kind_words(structure, iter(own)))


def _unused(spec: InputSpec) -> Argument:
    """An argument that the variant which is run does not look at."""
    if spec.shape is None:
        return {"int": 0, "float": 0.0, "bool": False}[spec.dtype]
    sizes = tuple(size if isinstance(size, int) else 0 for size in spec.shape)
    return allocate(spec.dtype, sizes)


# ---- what fits


def _look(structure: Any, leaves: Iterator[Look]) -> Look:
    """What looks at values of a structure, in which `...` is the next leaf."""
    if structure is ...:
        return next(leaves)
    kind = type(structure)
    if not isinstance(structure, (tuple, list, dict)):
        return lambda value, found: type(value) is kind and value == structure
    keys = cast("list[object]", list(cast(Any, structure)))
    is_dict = isinstance(structure, dict)
    looks = [_look(part, leaves) for part in _parts(structure)]

    def look(value: Any, found: list[Argument]) -> bool:
        if type(value) is not kind or len(value) != len(keys):
            return False
        if is_dict:
            if list(value) != keys:
                return False
            value = value.values()
        return all(one(part, found) for one, part in zip(looks, value))

    return look


def _exactly(place: int, spec: InputSpec) -> Look:
    """What takes a tensor of this dtype and shape, or a number of this type."""
    if spec.shape is None:
        kind = {"int": int, "float": float, "bool": bool}[spec.dtype]

        def number(value: Any, found: list[Argument]) -> bool:
            if type(value) is not kind:
                return False
            if kind is int and not -(2**63) <= value < 2**63:
                return False
            found[place] = value
            return True

        return number
    dtype, rank = numpy_dtype(spec.dtype), len(spec.shape)
    fixed = [(d, size) for d, size in enumerate(spec.shape) if isinstance(size, int)]

    def tensor(value: Any, found: list[Argument]) -> bool:
        if type(value) is not np.ndarray:
            return False
        array: Array = value
        shape = array.shape
        if len(shape) != rank:
            return False
        for d, size in fixed:
            if shape[d] != size:
                return False
        if array.dtype != dtype and array.dtype.newbyteorder("=") != dtype:
            return False
        found[place] = adopt(array)
        return True

    return tensor


def _nearly(place: int, spec: InputSpec) -> Look:
    """What takes all that a call takes as an argument: an int as a float, too."""

    def look(value: Any, found: list[Argument]) -> bool:
        try:
            found[place] = accept_one(spec, value)
        except InputError:
            return False
        return True

    return look


def _parts(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(cast("dict[object, object]", value).values())
    return list(cast("list[object]", value))


# ---- in words


def _kind_words(structure: object, specs: Iterator[InputSpec]) -> str:
    """`None`, `float32[n, 4]`, `(int, float32[1, 4])`."""
    return _text(structure, lambda leaf: str(next(specs)) if leaf is ... else "")


def _words(value: object) -> str:
    """`None`, `float32[2, 4]`, `(3, float32[1, 4])`."""

    def leaf_text(leaf: object) -> str:
        if not isinstance(leaf, np.ndarray):
            return ""
        array = cast(Array, leaf)
        return dtype_name(array) + shape_text(array.shape)

    return _text(value, leaf_text)


def _text(value: object, leaf_text: Callable[[object], str]) -> str:
    """A value as Python has it; `leaf_text` is "" for what is written as it is."""
    if isinstance(value, str) and value == NO_VALUE:
        return "without a value"
    if not isinstance(value, (tuple, list, dict)):
        return leaf_text(value) or repr(value)
    parts = [_text(part, leaf_text) for part in _parts(cast(object, value))]
    count, kind = len(parts), type(cast(object, value)).__name__
    if count > _MOST_WORDS:
        return f"a {kind} of {count} items"
    if isinstance(value, dict):
        keys = map(repr, cast("dict[object, object]", value))
        items = ", ".join(f"{key}: {part}" for key, part in zip_equal(keys, parts))
        return f"{{{items}}}"
    inner = ", ".join(parts)
    if isinstance(value, list):
        return f"[{inner}]"
    return f"({inner},)" if count == 1 else f"({inner})"
