"""What a network keeps from call to call, and how a call gets and gives it.

The printed table STATE has a row for each variable: name, mode, value at the start,
what each variant takes. In a value or structure `...` stands for a tensor (at the start
a weight, in a structure an argument), and the numbers or names after it say which.
Modes: "keep", "set" and "grow", as in `dycl.ir.state`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.cells import CannotKeep, Cells
from dycl.runtime.dtypes import array_of_tensor, bits_of
from dycl.runtime.inputs import InputError, InputSpec
from dycl.runtime.kernels import Argument
from dycl.runtime.locks import Lock
from dycl.runtime.state_kinds import Kinds
from dycl.runtime.variables import NO_VALUE, Row
from dycl.runtime.zipping import zip_equal

T = TypeVar("T")
_NOWHERE = -1


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
        self._lock = Lock(self._tear)
        self.lock = self._lock.lock
        self.busy = False
        """Whether a call runs, which the thread that has the lock has begun."""
        self.is_torn = False
        """Whether this process was forked while a call of another thread ran."""
        self._specs = tuple(specs)
        self._kind = kind
        kept = [row for row in self.rows if row.mode == "keep"]
        self._kinds = Kinds(kept, self._specs, kind)
        self.params = params
        """Weights that variables start as copies of."""
        self._names = [row.name for row in self.rows]
        self._grows = any(row.mode == "grow" for row in self.rows)
        self._values: dict[str, object] = {}
        self._sites = 0
        self.cells: Cells | None = None
        """Where native code has it, if it may be there."""
        self.is_loaded = False
        """Whether the cells hold what the next call takes."""
        self.site = _NOWHERE
        """Where the call returned that has left the cells as they are, counted on from
        the last place if it was given torch's tensors. While it is somewhere, the
        values are in the cells alone."""
        self.saw_torch = False
        """Whether the last call that left the state as objects was given such."""
        self.reset()

    def _tear(self) -> None:
        self.busy = self.is_loaded = False
        self.is_torn = True

    def live_in_cells(self, given: int, returns: Sequence[Mapping[str, Any]]) -> None:
        """Have cells for native code, if all values can be there; see `Cells`."""
        try:
            self.cells = Cells(self.rows, self._specs, self._kind, given, returns)
            self._sites = len(returns)
        except CannotKeep:
            self.cells = None

    def load(self) -> bool:
        """Put the state into the cells; False: it is of no kind that is compiled."""
        if self.cells is None or self.is_torn:
            return False
        try:
            self.cells.load(self.arguments())
        except InputError:
            return False
        self.is_loaded = True
        return True

    def _now(self) -> dict[str, object]:
        """The value of each variable that has one."""
        if self.is_torn:
            raise RuntimeError(
                "this process was forked while another thread called the network, so "
                "its state is incomplete here: call reset_state()"
            )
        if self.site != _NOWHERE and self.cells is not None:
            values = self.cells.values(self.site % self._sites)
            self._values = dict(zip_equal(self._names, values))
            self._forget_site()
        return self._values

    def _forget_site(self) -> None:
        if self.site != _NOWHERE:
            self.saw_torch = self.site >= self._sites
            self.site = _NOWHERE

    def was_given_torch(self) -> None:
        """Whatever the last call was given here was made of torch's tensors."""
        with self.lock:
            self._now()
            self.saw_torch = True

    def replace(self, values: dict[str, object]) -> None:
        """Have these values, whatever they are, and no others."""
        self._values = values
        self._forget_site()
        self.is_loaded = self.is_torn = False

    def reset(self) -> None:
        """As it was when the model was compiled."""
        values: dict[str, object] = {}
        for row in self.rows:
            if row.initial is not None:
                value, paths = row.initial
                tensors = iter([self.params[path].copy() for path in paths])
                values[row.name] = _fill(value, tensors)
        self.replace(values)

    def values(self) -> dict[str, object]:
        """A copy: name -> arrays, numbers, and the structure around them.

        Without those that have no value: an attribute that no call has set by now.
        """
        now = self._now().items()
        return {name: copied(value) for name, value in now if not _is_none(value)}

    def update(self, values: Mapping[str, object]) -> None:
        """Set variables. KeyError: no such variable; InputError: of no kind for it."""
        for name in values:
            if name not in self._names:
                known = ", ".join(self._names)
                raise KeyError(f"the network has no state {name!r}; it has {known}")
        new = {name: _arrays(value) for name, value in values.items()}
        now = self._now() | new
        self._kinds.arguments(now)
        self.replace(now)

    def arguments(self) -> list[Argument]:
        """What the host is given behind the user's inputs.

        InputError: the values are of no kind that the network was compiled for.
        """
        return self._kinds.arguments(self._now())

    def store(self, new: Sequence[object], saw_torch: bool) -> None:
        """What a call has left, and whether it was given torch's tensors."""
        values = dict(zip_equal(self._names, new))
        for row in self.rows if self._grows else ():
            if row.mode == "grow":
                before = cast("list[object]", self._now().get(row.name, []))
                values[row.name] = [*before, *cast("list[object]", values[row.name])]
        self.replace(values)
        self.saw_torch = saw_torch


def run_with(
    state: State, values: Mapping[str, Any] | None, run: Callable[[], T]
) -> tuple[T, dict[str, Any]]:
    """What `run` gives with other values for the state (None: those that it had when
    the network was compiled), and what it leaves; the state is then as before."""
    with state.lock:
        before = state.values()
        if values is None:
            state.reset()
        else:
            state.replace(dict(values))
        try:
            return run(), state.values()
        finally:
            state.replace(before)


def _is_none(value: object) -> bool:
    return isinstance(value, str) and value == NO_VALUE


def _map(value: object, leaf: Callable[[object], object]) -> object:
    if isinstance(value, (tuple, list)):
        items = [_map(v, leaf) for v in cast("list[object]", value)]
        return tuple(items) if isinstance(value, tuple) else items
    if isinstance(value, dict):
        entries = cast("dict[object, object]", value).items()
        return {key: _map(item, leaf) for key, item in entries}
    return leaf(value)


def _fill(value: object, tensors: Iterator[Array]) -> object:
    return _map(value, lambda leaf: next(tensors) if leaf is ... else leaf)


def copied(value: object) -> object:
    """A value with copies of its arrays."""
    return _map(value, lambda v: v.copy() if isinstance(v, np.ndarray) else v)


def _arrays(value: object) -> object:
    """Tensors of the user's as arrays of our own."""

    def one(leaf: object) -> object:
        if leaf is None or isinstance(leaf, (bool, int, float, str)):
            return leaf
        tensor: Any = leaf
        if hasattr(tensor, "detach"):
            tensor = array_of_tensor(tensor.detach().cpu())
        return np.array(bits_of(tensor), order="C")

    return _map(value, one)
