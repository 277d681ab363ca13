"""A network for one row and its twin, which takes many: what both give is compared.

The calls of the one are noted. Rows of them, put together, then have to give the other
the same values and paths, what is written to inputs included, and the same error where
a row raises.
"""

import copy
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import variants
from structures import arguments_of, is_tensor, names_at, tensors_at, with_arguments
from torch import nn
from variants import CALL, COMPARED, NoVariant, tolerance, way

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


def with_rows(model, args, kwargs):
    """The model, its example, `rows`, and the places of tensors that have rows.

    These are the tensors whose first size is 1, in structures as well; if there are
    none, all tensors get a dimension more. NoVariant: that cannot be.
    """
    arguments = arguments_of(model, args, kwargs)
    names = {
        (one, *place): name
        for one, value in arguments.items()
        for place, name in names_at(value, one).items()
    }
    tensors = tensors_at(arguments)
    places = [place for place, one in tensors.items() if np.shape(one)[:1] == (1,)]
    if places:
        return model, args, {names[place]: 0 for place in places}, places
    if not tensors:
        raise NoVariant("no input is a tensor")
    if kwargs or len(args) > max(WRAPPERS) or not all(map(is_tensor, args)):
        raise NoVariant("its tensors have no row, beside what is no tensor")
    wrapped = WRAPPERS[len(args)](model).eval()
    return wrapped, tuple(one[None] for one in args), True, [*tensors]


def grouped_anyhow(patch):
    """From `FEW` rows on they are computed together also where that does not pay."""
    home = "dycl.passes.regroup_rows"
    patch.setattr(f"{home}.row_numbers", lambda *_, **__: RowNumbers(FEW, 2))
    patch.setattr(f"{home}.loses", lambda *_, **__: None)


@dataclass
class Twins(variants.Twins):
    """A network for one row, the same for many, and the calls of a test."""

    model: Any
    """Of the network for one row."""
    places: list
    """Of the tensors that have rows."""
    is_wrapped: bool
    """Whether the rows are a dimension more."""
    is_interpreted: bool
    """Whether the interpreter runs the kernels of many rows."""
    alone: str
    """Why rows are not computed together, or ""."""

    def takes(self, args, kwargs):
        """Whether rows can be made of it."""
        found = tensors_at(arguments_of(self.model, args, kwargs))
        is_given = all(isinstance(found.get(p), torch.Tensor) for p in self.places)
        return is_given and not (self.is_wrapped and kwargs)

    def compare(self):
        """See there: rows of the calls give what they give alone."""
        calls = self.alike()
        good = [call for call in calls if call.error is None]
        bad = [call for call in calls if call.error is not None]
        if not calls:
            raise NoVariant("it is called with nothing that rows can be made of")
        if not all(call.is_copied for call in calls):
            raise NoVariant("it gives an object that is not equal to a copy of it")
        if self.has_state:
            self.assert_rows(in_turn(good))
        elif good:
            for number in NUMBERS:
                self.assert_rows([good[i % len(good)] for i in range(number)])
        if bad and not self.has_state:
            self.assert_raises([*good[:2], bad[0], *good[2:4]], bad[0].error)
        return [f"{COMPARED}, row by row: {self.alone}" if self.alone else COMPARED]

    def alike(self):
        """The calls in which all but the rows is the same; a path each, first."""
        others = {}
        for call in self.calls:
            others.setdefault(self.fixed(call), []).append(call)
        calls = max(others.values(), key=len, default=[])
        if self.has_state:
            return calls
        first = {str(call.path): call for call in reversed(calls)}
        return [*first.values(), *(c for c in calls if first[str(c.path)] is not c)]

    def fixed(self, call):
        """What all rows of a call have to have in common with this one, as text."""

        def said(place, tensor):
            return None if place in self.places else (tensor.dtype, tensor.tolist())

        return repr(with_arguments(self.model, call.before, call.kwargs, said))

    def batch(self, rows):
        """The arguments of a call with these rows."""
        first = rows[0] if rows else self.calls[0]
        tensors = [self.tensors(row.before, row.kwargs) for row in rows or [first]]

        def joined(place, tensor):
            if place not in self.places:
                return tensor
            return self.joined([one[place] for one in tensors])[: len(rows)].clone()

        args, kwargs = copy.deepcopy((first.before, first.kwargs))
        return with_arguments(self.model, args, kwargs, joined)

    def tensors(self, args, kwargs):
        """Place -> tensor."""
        return tensors_at(arguments_of(self.model, args, kwargs))

    def joined(self, columns):
        return torch.cat([one[None] if self.is_wrapped else one for one in columns])

    def outcome(self, rows):
        """What many rows give, or the error; and the tensors behind the call."""
        args, kwargs = self.batch(rows)
        if rows and self.has_state:
            self.many.reset_state()  # What has no value yet is not in a state.
            owner = "model." if self.is_wrapped else ""
            kept = rows[0].state.items()
            self.many.state = {f"{owner}{name}": value for name, value in kept}
        with torch.no_grad():
            try:
                found = CALL(self.many, *args, **kwargs)
            except Exception as error:
                found = error
        return found, self.tensors(args, kwargs)

    def assert_rows(self, rows):
        """Values, paths and written inputs are those of the rows alone."""
        found, behind = self.outcome(rows)
        if isinstance(found, Exception):
            raise AssertionError(f"{len(rows)} rows raise, and none alone") from found
        parts = self.many.rows.split(found, len(rows))
        numbers = {len(parts), len(self.many.paths)}
        assert numbers == {len(rows)}, f"{numbers} rows come back of {len(rows)}"
        for i, (row, part) in enumerate(zip(rows, parts, strict=True)):
            said = f"row {i} of {len(rows)}"
            difference = value_difference(row.value, part, tolerance(row.value), said)
            assert difference is None, difference
            went, wanted = self.went(self.many.paths[i]), self.went(row.path)
            is_settled = not row.path and not any(
                one.numel() for one in self.tensors(row.before, row.kwargs).values()
            )  # What is asked of no elements has one answer, if that is seen.
            assert is_settled or went == wanted, (
                f"{said}: the path is {went}, and alone {wanted}"
            )
        tensors = [self.tensors(row.after, row.kwargs_after) for row in rows]
        for place in self.places if rows else ():
            wanted = self.joined([one[place] for one in tensors])
            difference = value_difference(wanted, behind[place], tolerance(wanted))
            assert difference is None, f"input {place} behind the call: {difference}"

    def went(self, path):
        """What is the same of the decisions of one row in both networks."""
        if not self.is_wrapped:
            return [*map(way, path)]
        # Tests of what the model holds stand at the call of the model.
        return [(one.test.replace("self.model.", "self."), one.taken) for one in path]

    def assert_raises(self, rows, error):
        """The error is that of the row which raises."""
        found, _ = self.outcome(rows)
        said = f"{type(found).__name__}: {found}; alone: {type(error).__name__}"
        if self.is_interpreted and isinstance(found, torch.linalg.LinAlgError):
            # torch's own, of a kernel; ours raises the class which that is one of.
            assert isinstance(error, RuntimeError), said
            return
        assert type(found).__name__ == type(error).__name__, said
        if type(found) is not type(error):
            return  # One of them stands for a class that was not loaded.
        if self.is_interpreted and "out of bounds" in str(found):
            return  # torch finds a bad index in a kernel, before we look.
        assert repr(found.args) == repr(error.args), f"{said}: {error}"


def in_turn(calls):
    """The first calls of which each has begun with what the one before has left."""
    for i, (one, other) in enumerate(itertools.pairwise(calls), start=1):
        if value_difference(one.state_after, other.state) is not None:
            return calls[:i]
    return calls[: max(NUMBERS)]
