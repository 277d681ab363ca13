"""Sessions: each row of a call belongs to one, and has what the last one left.

    sessions = Sessions(net)                       # a state that `forward` sets
    sessions = Sessions(net, {"h": 1}, {"h": zeros})   # an input, and what is returned
    sessions(["ann", "bob"], x)                    # row 0 is Ann's, row 1 is Bob's

Of the first kind, each row is run by itself, with the state of its session. Of the
second, the state is an input with rows and an item of what is returned, and rows of
different sessions are computed together: those whose state is of the same sizes, if
these are dynamic, as of a cache that grows. Rows of one session come in their order.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dycl.runtime.buffers import Array
from dycl.runtime.inputs import InputError, array_of, is_torch_tensor
from dycl.runtime.open_shapes import OpenShapes
from dycl.runtime.row_inputs import alike, in_order, one_row
from dycl.runtime.state import copied
from dycl.runtime.tensors import to_torch
from dycl.runtime.trees import NODE

if TYPE_CHECKING:
    from dycl.runtime.inputs import InputSpec

Columns = Sequence[Array]
"""The rows of each input that is no state."""


class Sessions:
    """What each session has left, by its key. Threads may call it: one at a time."""

    def __init__(
        self,
        net: Any,
        carried: Mapping[str, int] | None = None,
        initial: Mapping[str, Any] | None = None,
    ):
        """`net` is compiled with `rows` for all of its inputs, or loaded. `carried`:
        an input, and the place of its next value in the tuple that is returned;
        `initial`: its value in a new session, with a first size of 1.

        TypeError: the network has no rows, or an input without; it keeps no state, or
        has both kinds; it takes trees; an argument holds a state and other inputs.
        ValueError: there is no such input, or no first value. InputError: that does
        not fit.
        """
        rows = getattr(net, "rows", None)
        if rows is None:
            raise TypeError("the network was not compiled with rows")
        if len(rows.form["inputs"]) != len(net.inputs):
            raise TypeError("an input of the network is the same for all rows")
        if any(spec.dtype == NODE for spec in net.inputs):
            raise TypeError("the network takes trees, of which sessions have none")
        self._net, self._rows = net, rows
        self._carried = dict(carried or {})
        if bool(net.state) == bool(self._carried):
            both = "is set by `forward` and carried" if net.state else "is not there"
            raise TypeError(f"the state of a session {both}")
        names = [spec.name for spec in net.inputs]
        firsts = initial or {}
        for name in {*self._carried, *firsts}:
            if name not in names or name not in self._carried or name not in firsts:
                raise ValueError(f"`{name}` is no input with a first value")
        self._specs: dict[str, InputSpec] = {spec.name: spec for spec in net.inputs}
        self.inputs = tuple(s for s in net.inputs if s.name not in self._carried)
        """What a call is given besides the keys."""
        self._signature = net.signature
        if net.signature is not None:
            self._signature = net.signature.without(self._carried)
        self._open = OpenShapes(net.sizes)
        self._initial = self._fitting({name: firsts[name] for name in self._carried})
        self._kept: dict[Hashable, dict[str, Any]] = {}
        self._lock = threading.RLock()

    def inputs_of(
        self, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[Any, ...]:
        """The inputs among arguments, without a state, in order. InputError: an
        argument is missing, or has another structure."""
        if self._signature is not None:
            return self._signature.inputs(args, kwargs)
        return in_order([spec.name for spec in self.inputs], args, kwargs)

    def __call__(
        self, keys: Sequence[Hashable], *args: Any, **kwargs: Any
    ) -> list[Any]:
        """What a call with each row alone gives; row k belongs to the session
        `keys[k]`, which begins with its first row.

        InputError: a row does not fit. Raises what the first row raises that does: its
        session, and those of rows that have not run, stay as they were.
        """
        rows = self.inputs_of(args, kwargs)
        columns = [array_of(spec, v) for spec, v in zip(self.inputs, rows)]
        for spec, column in zip(self.inputs, columns):
            if column.ndim == 0 or len(column) != len(keys):
                raise InputError(f"`{spec.name}` has not one row for each key")
        answers = self.answers(keys, columns, goes_on=False)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        saw_torch = any(map(is_torch_tensor, rows))
        return [to_torch(one) for one in answers] if saw_torch else answers

    def answers(
        self, keys: Sequence[Hashable], columns: Columns, goes_on: bool = True
    ) -> list[Any]:
        """For each row what it gives, or what it raises; unless it `goes_on`, nothing
        behind the first that raises."""
        with self._lock:
            if not self._carried:
                return list(self._each(keys, columns, goes_on))
            return self._in_rounds(keys, columns, goes_on)

    def state(self, key: Hashable) -> dict[str, Any]:
        """What a session has left: a copy, by attribute or input. KeyError: none."""
        with self._lock:
            return {name: copied(v) for name, v in self._kept[key].items()}

    def end(self, key: Hashable) -> None:
        """Forget a session. KeyError: there is none."""
        with self._lock:
            del self._kept[key]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Hashable]:
        """The keys, in the order in which sessions began."""
        return iter([*self._kept])

    # ---- a state that `forward` sets

    def _each(
        self, keys: Sequence[Hashable], columns: Columns, goes_on: bool
    ) -> Iterator[Any]:
        for row, key in enumerate(keys):
            arguments = [column[row : row + 1] for column in columns]
            try:
                answer, left = self._rows.run_with(self._kept.get(key), arguments)
            except Exception as error:
                yield error
                if not goes_on:
                    return
            else:
                self._kept[key] = left
                yield answer

    # ---- a state that is an input

    def _in_rounds(
        self, keys: Sequence[Hashable], columns: Columns, goes_on: bool
    ) -> list[Any]:
        """Rows of different sessions together; of one, one after the other."""
        answers: list[Any] = [None] * len(keys)
        for places in _rounds(keys):
            states = [self._kept.get(keys[place], self._initial) for place in places]
            for part in alike(
                tuple(state[name].shape for name in self._carried) for state in states
            ):
                rows = [places[at] for at in part]
                for row, answer in zip(rows, self._together(keys, columns, rows)):
                    answers[row] = answer
            raised = (answers[row] for row in places if _is_error(answers[row]))
            if not goes_on and (error := next(raised, None)) is not None:
                return [error]
        return answers

    def _together(
        self, keys: Sequence[Hashable], columns: Columns, places: Sequence[int]
    ) -> list[Any]:
        given = iter(columns)
        arguments: list[Array] = []
        for name in self._specs:
            if name not in self._carried:
                arguments.append(next(given)[list(places)])
                continue
            values = [self._kept.get(keys[p], self._initial)[name] for p in places]
            arguments.append(np.concatenate(values))
        try:
            args, kwargs = self._rows.call_of(arguments)
            result = self._net(*args, **kwargs)
            found = self._rows.split(result, len(places))
            left = [self._left(one) for one in found]
        except Exception as error:
            if len(places) == 1:
                return [error]
            alone = [self._together(keys, columns, [place]) for place in places]
            return [answer for one in alone for answer in one]
        self._kept.update(zip([keys[place] for place in places], left))
        return found

    def _left(self, result: Any) -> dict[str, Array]:
        """What a row's result has for the next one. InputError: nothing that fits."""
        if not isinstance(result, (tuple, list)):
            raise InputError("the network returns no tuple with the state in it")
        items = cast("Sequence[Any]", result)
        return self._fitting({n: items[place] for n, place in self._carried.items()})

    def _fitting(self, state: Mapping[str, Any]) -> dict[str, Array]:
        """Copies of the state for one row. InputError: it does not fit."""
        known: dict[str, tuple[int, str]] = {}
        return {
            name: one_row(self._specs[name], value, self._open, known, "state")
            for name, value in state.items()
        }


def _is_error(answer: Any) -> bool:
    return isinstance(answer, BaseException)


def _rounds(keys: Sequence[Hashable]) -> list[list[int]]:
    """The places of rows, parted so that no key is twice in a part."""
    seen: dict[Hashable, int] = {}
    rounds: list[list[int]] = []
    for place, key in enumerate(keys):
        number = seen[key] = seen.get(key, -1) + 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(place)
    return rounds
