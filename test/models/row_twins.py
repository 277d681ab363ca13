"""A network for one row and its twin, which takes many: what both give is compared.

The calls of the one are noted. Rows of them, put together, then have to give the other
the same values and paths, what is written to inputs included, and the same error where
a row raises.
"""

import copy
import itertools
from dataclasses import dataclass

import numpy as np
import torch
import variants
from torch import nn
from variants import CALL, COMPARED, NoVariant, tolerance, way

from dycl.driver.inputs import parameter_names
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.tools.same import value_difference

NUMBERS = (0, 1, 4, 7)
"""Rows of the calls that are compared."""
FEW = 3
"""Up to so many go through the kernels of one row."""


class OfOneRow(nn.Module):
    """A model whose inputs have a dimension more in front, of size 1: the rows."""

    def __init__(self, model):
        super().__init__()
        self.model = model


class OneInput(OfOneRow):
    def forward(self, a):
        return self.model(a[0])


class TwoInputs(OfOneRow):
    def forward(self, a, b):
        return self.model(a[0], b[0])


class ThreeInputs(OfOneRow):
    def forward(self, a, b, c):
        return self.model(a[0], b[0], c[0])


WRAPPERS = {1: OneInput, 2: TwoInputs, 3: ThreeInputs}


def with_rows(model, inputs):
    """The model, its example, `rows`, and the places of inputs that have rows.

    These are the tensors whose first size is 1; if there are none, all tensors get a
    dimension more. NoVariant: that cannot be.
    """
    are_tensors = [isinstance(one, torch.Tensor | np.ndarray) for one in inputs]
    places = [i for i, one in enumerate(inputs) if np.shape(one)[:1] == (1,)]
    if places:
        names = parameter_names(model, len(inputs))
        return model, inputs, {names[i]: 0 for i in places}, places
    if not any(are_tensors):
        raise NoVariant("no input is a tensor")
    if not all(are_tensors) or len(inputs) > max(WRAPPERS):
        raise NoVariant("its tensors have no row, beside what is no tensor")
    model = WRAPPERS[len(inputs)](model).eval()
    example = tuple(one[None] for one in inputs)
    return model, example, True, list(range(len(inputs)))


def grouped_anyhow(patch):
    """From `FEW` rows on they are computed together also where that does not pay."""
    home = "dycl.passes.regroup_rows"
    patch.setattr(f"{home}.row_numbers", lambda *_, **__: RowNumbers(FEW, 2))
    patch.setattr(f"{home}.loses", lambda *_, **__: None)


@dataclass
class Twins(variants.Twins):
    """A network for one row, the same for many, and the calls of a test."""

    places: list
    """Of the inputs that have rows."""
    is_wrapped: bool
    """Whether the rows are a dimension more."""
    alone: str
    """Why rows are not computed together, or ""."""

    def takes(self, args, kwargs):
        """Whether rows can be made of it."""
        fits = not kwargs and len(args) == len(self.one.inputs)
        return fits and all(isinstance(args[i], torch.Tensor) for i in self.places)

    def compare(self):
        """See there: rows of the calls give what they give alone."""
        calls = self.alike()
        good = [call for call in calls if call.error is None]
        bad = [call for call in calls if call.error is not None]
        if not calls:
            raise NoVariant("it is called with nothing that rows can be made of")
        if self.has_state:
            self.assert_rows(in_turn(good))
        elif good:
            for number in NUMBERS:
                self.assert_rows([good[i % len(good)] for i in range(number)])
        if bad and not self.has_state:
            self.assert_raises([*good[:2], bad[0], *good[2:4]], bad[0].error)
        return [f"{COMPARED}, row by row: {self.alone}" if self.alone else COMPARED]

    def alike(self):
        """The calls in which inputs without rows are the same; a path each, first."""
        others = {}
        for call in self.calls:
            fixed = [v for i, v in enumerate(call.before) if i not in self.places]
            others.setdefault(repr(fixed), []).append(call)
        calls = max(others.values(), key=len, default=[])
        if self.has_state:
            return calls
        first = {str(call.path): call for call in reversed(calls)}
        return [*first.values(), *(c for c in calls if first[str(c.path)] is not c)]

    def batch(self, rows):
        """The arguments of a call with these rows."""
        args = list(copy.deepcopy(self.calls[0].before if not rows else rows[0].before))
        for i in self.places:
            columns = [row.before[i] for row in rows] or [args[i]]
            args[i] = self.joined(columns)[: len(rows)].clone()
        return args

    def joined(self, columns):
        return torch.cat([one[None] if self.is_wrapped else one for one in columns])

    def outcome(self, rows):
        """What many rows give, or the error; and the arguments behind the call."""
        args = self.batch(rows)
        if rows and self.has_state:
            self.many.reset_state()  # What has no value yet is not in a state.
            owner = "model." if self.is_wrapped else ""
            kept = rows[0].state.items()
            self.many.state = {f"{owner}{name}": value for name, value in kept}
        with torch.no_grad():
            try:
                return CALL(self.many, *args), args
            except Exception as error:
                return error, args

    def assert_rows(self, rows):
        """Values, paths and written inputs are those of the rows alone."""
        found, args = self.outcome(rows)
        if isinstance(found, Exception):
            raise AssertionError(f"{len(rows)} rows raise, and none alone") from found
        parts = self.many.rows.split(found, len(rows))
        numbers = {len(parts), len(self.many.paths)}
        assert numbers == {len(rows)}, f"{numbers} rows come back of {len(rows)}"
        for i, (row, part) in enumerate(zip(rows, parts, strict=True)):
            said = f"row {i} of {len(rows)}"
            difference = value_difference(row.value, part, tolerance(row.value), said)
            assert difference is None, difference
            path = self.many.paths[i]
            assert [*map(way, path)] == [*map(way, row.path)], f"{said}: the path"
        for i in self.places if rows else ():
            wanted = self.joined([row.after[i] for row in rows])
            difference = value_difference(wanted, args[i], tolerance(wanted))
            assert difference is None, f"input {i} behind the call: {difference}"

    def assert_raises(self, rows, error):
        """The error is that of the row which raises."""
        found, _ = self.outcome(rows)
        names = [f"{type(one).__name__}: {one}" for one in (found, error)]
        assert names[0] == names[1], f"{names[0]}; alone: {names[1]}"


def in_turn(calls):
    """The first calls of which each has begun with what the one before has left."""
    for i, (one, other) in enumerate(itertools.pairwise(calls), start=1):
        if value_difference(one.state_after, other.state) is not None:
            return calls[:i]
    return calls[: max(NUMBERS)]
