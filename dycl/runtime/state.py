"""What a network keeps from call to call, and how a call gets and gives it.

The printed table STATE has a row for each variable: name, mode, value at the start,
what each variant takes. In a value or structure `...` stands for a tensor (at the start
a weight, in a structure an argument), and the numbers or names after it say which.
Modes: "keep", "set" and "grow", as in `dycl.ir.state`.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from dycl.runtime.buffers import Array, Buffer, allocate
from dycl.runtime.inputs import InputError, InputSpec, accept_one
from dycl.runtime.kernels import Argument

_MISSING = object()

Mode = Literal["keep", "set", "grow"]


class Given(NamedTuple):
    """What one variant takes for a variable."""

    structure: object
    arguments: tuple[int, ...]


class Row(NamedTuple):
    """One variable, as printed."""

    name: str
    mode: Mode
    initial: tuple[object, tuple[str, ...]] | None
    given: tuple[tuple[object, tuple[int, ...]], ...]


class State:
    """The variables of one network, and their values now."""

    def __init__(
        self,
        rows: Sequence[Row],
        specs: Sequence[InputSpec],
        kind: int | None,
        params: Mapping[str, Array],
    ):
        """`specs` are the arguments behind the user's; `kind` is the place of the
        variant's number among them. KeyError: a weight is missing."""
        self.rows = tuple(rows)
        self.lock = threading.Lock()
        self._specs = tuple(specs)
        self._kind = kind
        self.params = params
        """Weights that variables start as copies of."""
        self._names = [row.name for row in self.rows]
        self._grows = any(row.mode == "grow" for row in self.rows)
        self._values: dict[str, object] = {}
        self._unused = [_unused(spec) for spec in specs]
        self._dtypes = [np.dtype(spec.dtype) for spec in specs]
        self._kept = [row for row in self.rows if row.mode == "keep"]
        self._variants = max((len(row.given) for row in self._kept), default=1)
        self._plain = self._plain_tensors()
        """Name, dtype and shape of each argument, if all are variables that are one
        tensor; else None."""
        self.reset()

    def _plain_tensors(self) -> list[tuple[str, Any, object]] | None:
        places: dict[int, str] = {}
        for row in self._kept:
            if len(row.given) != 1 or row.given[0][0] is not ...:
                return None
            [place] = row.given[0][1]
            places[place] = row.name
        if sorted(places) != list(range(len(self._specs))):
            return None
        specs = [(places[i], spec) for i, spec in enumerate(self._specs)]
        if any(spec.shape is None for _, spec in specs):
            return None
        return [(name, np.dtype(spec.dtype), spec.shape) for name, spec in specs]

    def reset(self) -> None:
        """As it was when the model was compiled."""
        self._values = {}
        for row in self.rows:
            if row.initial is not None:
                value, paths = row.initial
                tensors = iter([self.params[path].copy() for path in paths])
                self._values[row.name] = _fill(value, tensors)

    def values(self) -> dict[str, object]:
        """A copy: name -> arrays, numbers, and the structure around them."""
        return {name: _copied(value) for name, value in self._values.items()}

    def update(self, values: Mapping[str, object]) -> None:
        """Set variables. KeyError: no such variable; InputError: of no kind for it."""
        for name in values:
            if name not in self._names:
                known = ", ".join(self._names)
                raise KeyError(f"the network has no state {name!r}; it has {known}")
        before = dict(self._values)
        self._values |= {name: _arrays(value) for name, value in values.items()}
        try:
            self.arguments()
        except InputError:
            self._values = before
            raise

    def arguments(self) -> list[Argument]:
        """What the host is given behind the user's inputs.

        InputError: the values are of no kind that the network was compiled for.
        """
        why: InputError | None = None
        for number in range(self._variants):
            found = list(self._unused)
            if self._kind is not None:
                found[self._kind] = number
            try:
                for row in self._kept:
                    self._match(row, *row.given[number], found)
            except InputError as error:
                why = why or error
                continue
            return found
        assert why is not None
        raise why

    def objects(self) -> list[object] | None:
        """The same as they stand, for `dycl_method`; None: `arguments` has to look."""
        if self._plain is not None:
            return self._plain_objects(self._plain)
        for number in range(self._variants):
            found: list[object] = [
                x.array if isinstance(x, Buffer) else x for x in self._unused
            ]
            if self._kind is not None:
                found[self._kind] = number
            fits: bool | None = True
            for row in self._kept:
                structure, places = row.given[number]
                value = self._values.get(row.name, _MISSING)
                fits = self._gather(structure, iter(places), value, found)
                if not fits:
                    break
            if fits is not False:
                return found if fits else None
        return None

    def _plain_objects(
        self, plain: Sequence[tuple[str, Any, object]]
    ) -> list[object] | None:
        found: list[object] = []
        for name, dtype, shape in plain:
            value = self._values.get(name)
            if type(value) is not np.ndarray:
                return None
            if value.dtype != dtype or value.shape != shape:
                return None
            found.append(value)
        return found

    def _gather(
        self,
        wanted: object,
        places: Iterator[int],
        value: object,
        found: list[object],
    ) -> bool | None:
        """Whether a variant takes a value; None: that is not to be seen at once."""
        if wanted is ...:
            place = next(places)
            spec = self._specs[place]
            found[place] = value
            if spec.shape is None:
                return True if type(value).__name__ == spec.dtype else None
            if type(value) is not np.ndarray:
                return None
            if value.dtype == self._dtypes[place]:
                return value.shape == spec.shape
            return None
        if not isinstance(wanted, (tuple, list, dict)):
            return type(wanted) is type(value) and wanted == value
        if not _same_shape(wanted, value):
            return False
        for inner, outer in zip(_parts(wanted), _parts(value), strict=True):
            fits = self._gather(inner, places, outer, found)
            if not fits:
                return fits
        return True

    def _match(
        self,
        row: Row,
        structure: object,
        places: tuple[int, ...],
        found: list[Argument],
    ) -> None:
        rest = iter(places)
        if row.name not in self._values:
            raise InputError(f"the state `{row.name}` has no value")

        def one(wanted: object, value: object) -> None:
            if wanted is ...:
                place = next(rest)
                spec = self._specs[place]
                named = InputSpec(row.name, spec.dtype, spec.shape)
                found[place] = accept_one(named, value)
            elif isinstance(wanted, (tuple, list, dict)):
                if not _same_shape(wanted, value):
                    raise _misfit(row.name, value)
                pairs = zip(_parts(wanted), _parts(value), strict=True)
                for inner, outer in pairs:
                    one(inner, outer)
            elif type(wanted) is not type(value) or wanted != value:
                raise _misfit(row.name, value)

        one(structure, self._values[row.name])

    def store(self, new: Sequence[object]) -> None:
        """What a call has left."""
        if not self._grows:
            self._values = dict(zip(self._names, new, strict=True))
            return
        for row, value in zip(self.rows, new, strict=True):
            if row.mode == "grow":
                before = cast("list[object]", self._values.get(row.name, []))
                self._values[row.name] = [*before, *cast("list[object]", value)]
            else:
                self._values[row.name] = value


def _unused(spec: InputSpec) -> Argument:
    """An argument that the variant which is run does not look at."""
    if spec.shape is None:
        return {"int": 0, "float": 0.0, "bool": False}[spec.dtype]
    return allocate(spec.dtype, spec.shape)


def _misfit(name: str, value: object) -> InputError:
    return InputError(
        f"the state `{name}` is {_words(value)}, which the network was not compiled for"
    )


def _words(value: object) -> str:
    match value:
        case np.ndarray():
            return f"a {value.dtype.name}{list(value.shape)}"
        case list() | tuple() | dict():
            items = cast("list[object]", value)
            return f"a {type(items).__name__} with {len(items)} items"
        case _:
            return repr(value)


def _same_shape(wanted: object, value: object) -> bool:
    if type(wanted) is not type(value):
        return False
    ours, others = cast("list[object]", wanted), cast("list[object]", value)
    if isinstance(wanted, dict):
        return list(ours) == list(others)
    return len(ours) == len(others)


def _parts(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(cast("dict[object, object]", value).values())
    return list(cast("list[object]", value))


def _map(value: object, leaf: Callable[[object], object]) -> object:
    match value:
        case tuple() | list():
            items = [_map(v, leaf) for v in cast("list[object]", value)]
            return tuple(items) if isinstance(value, tuple) else items
        case dict():
            entries = cast("dict[object, object]", value).items()
            return {key: _map(item, leaf) for key, item in entries}
        case _:
            return leaf(value)


def _fill(value: object, tensors: Iterator[Array]) -> object:
    return _map(value, lambda leaf: next(tensors) if leaf is ... else leaf)


def _copied(value: object) -> object:
    return _map(value, lambda v: v.copy() if isinstance(v, np.ndarray) else v)


def _arrays(value: object) -> object:
    """Tensors of the user's as arrays of our own."""

    def one(leaf: object) -> object:
        if leaf is None or isinstance(leaf, (bool, int, float, str)):
            return leaf
        tensor: Any = leaf
        if hasattr(tensor, "detach"):
            tensor = tensor.detach().cpu().numpy()
        return np.array(tensor, order="C")

    return _map(value, one)
