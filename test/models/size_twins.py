"""A network for inputs of one size, and its twin, of which a call decides sizes.

Arguments are told apart by their places: the name of a parameter, and what leads from
there to a tensor in a structure, as `("x",)` or `("batch", "ids")`.
"""

import copy
import itertools
import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import torch
import variants
from eager_runs import copy_of, outcome, parts_said, plain, side_of, sides_of
from limited import Limited, Unasked
from structures import (
    arguments_of,
    is_tensor,
    parts_of,
    tensors_at,
    with_arguments,
)
from variants import CALL, COMPARED, NoVariant, tolerance

from dycl.analysis.dynamic_sizes.sizes import CHANGES, GUARD
from dycl.checking.eager import record
from dycl.runtime import InputError
from dycl.tools.same import value_difference

SIZES = (0, 1, 2, -1, +1, +7)
"""What is tried instead of a size: the first three, and so much less or more."""
SMALL = 2
"""Sizes below may be refused in a run: torch's rules are for two and more."""
MOST_INPUTS = 3
"""How many calls are made with other sizes, each on a path of its own if there are
as many."""
COMPOUND = frozenset(("and", "or", "if"))
"""Words in a test of which eager makes several, or fewer."""


def spec_of(value, dims, place=()):
    """`dynamic_shapes`; `dims`: (place, dimension) -> its Dim."""
    if is_tensor(value):
        own = {d: dims[place, d] for d in range(value.ndim) if (place, d) in dims}
        return own or None
    parts = parts_of(value)
    if parts is None:
        return None
    specs = {k: spec_of(v, dims, (*place, k)) for k, v in parts.items()}
    is_keyed = isinstance(value, dict)
    return specs if is_keyed else [*specs.values()]


def choices(arguments, chance):
    """Which dimensions may be dynamic: each (place, dimension) -> the name of its size.

    Each alone; all of one size; and all, by their sizes.
    """
    sizes = {
        (place, d): size
        for place, tensor in tensors_at(arguments).items()
        for d, size in enumerate(tensor.shape)
    }
    alone = [{one: "n"} for one in sizes]
    by_size = {}
    for one, size in sizes.items():
        by_size.setdefault(size, {})[one] = f"n{size}"
    together = [some for some in by_size.values() if len(some) > 1]
    if len(by_size) > 1:
        together.append({one: f"n{size}" for one, size in sizes.items()})
    chance.shuffle(alone)
    chance.shuffle(together)
    pairs = itertools.zip_longest(*chance.sample([alone, together], 2))
    return [one for pair in pairs for one in pair if one is not None]


@dataclass
class SizeTwins(variants.Twins):
    """Networks for one size and for any, and the calls of a test."""

    model: Any
    """A copy of the model, as it was compiled."""
    names: dict
    """(Place, dimension) -> the name of a size."""
    chance: Any
    refused: list
    """Why there is no twin with other dimensions."""
    said: Counter = field(default_factory=Counter, init=False)
    """What was compared, and what a run refused."""

    def takes(self, args, kwargs):
        """Whether its sizes can be changed."""
        found = tensors_at(arguments_of(self.model, args, kwargs))
        return all(place in found and found[place].ndim > d for place, d in self.names)

    def compare(self):
        """See there: the same on the calls, and eager's values on other sizes."""
        if not self.calls:
            raise NoVariant("it is called with nothing of which sizes can be changed")
        if not all(call.is_copied for call in self.calls):
            raise NoVariant("it gives an object of which a copy is another one")
        self.said.clear()
        for call in self.calls:
            self.assert_same(call)
        for call in self.of_each_path()[:MOST_INPUTS]:
            for sizes in self.other_sizes(call):
                self.assert_as_eager(call, sizes)
        if not self.said[COMPARED]:
            self.said["compared, but eager takes no other size"] += 1
        return [*self.said, *self.refused]

    def assert_same(self, call):
        """The twin gives what the network gave, on the same path."""
        self.set_state(call.state)
        args, kwargs = copy.deepcopy((call.before, call.kwargs))
        found, error = outcome(lambda: CALL(self.many, *args, **kwargs))
        if call.error is None and self.is_refused(error, self.sizes_of(call)):
            return
        self.assert_ends_alike(call.error, error, "a call of the test")
        if error is not None:
            return
        self.assert_equal(call.value, found, "the value")
        self.assert_equal(call.after, args, "an input behind the call")
        self.assert_equal(call.state_after, self.many.state, "the state")
        self.assert_went_same(call.path)

    def assert_went_same(self, path):
        """Tests that both make as often have the same results. Where one has unrolled
        or peeled a loop of the host, and the other has not, tests differ."""
        mine, wanted = sides_of(self.many.path), sides_of(path)
        for test in mine.keys() & wanted.keys():
            is_same = len(mine[test]) != len(wanted[test]) or mine[test] == wanted[test]
            assert is_same, f"the path at {test}"

    def assert_as_eager(self, call, sizes):
        """The twin gives what the model does for inputs of other sizes, or raises."""
        args, kwargs = self.of_sizes(call, sizes)
        model = copy_of(self.model)
        own = copy.deepcopy((args, kwargs))
        with Limited(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Of one element, `std` warns.
            eager, raised = outcome(lambda: record(model, own[0], own[1]))
        if isinstance(raised, Unasked):
            self.said[str(raised)] += 1
            return
        self.many.reset_state()
        found, error = outcome(lambda: CALL(self.many, *args, **kwargs))
        where = " and ".join(f"{name} = {size}" for name, size in sizes.items())
        if raised is None and self.is_refused(error, sizes):
            return
        self.assert_ends_alike(raised, error, where)
        if raised is not None:
            return
        self.said[COMPARED] += 1
        value, decisions = eager
        self.assert_equal(value, found, f"the value where {where}")
        self.assert_equal(own, (args, kwargs), f"the inputs where {where}")
        self.assert_went_alike(decisions, where)

    def is_refused(self, error, sizes):
        """Whether a run has refused sizes as it may; notes it for the summary."""
        says_so = isinstance(error, InputError) or str(error).startswith(
            (CHANGES, GUARD)
        )
        small = min([*sizes.values(), *parts_said(error, sizes)])
        may = says_so and small < SMALL
        if may:
            self.said[f"refused in a run: {error}".replace(" (DY601)", "")] += 1
        return may

    def sizes_of(self, call):
        """Name -> size."""
        found = tensors_at(arguments_of(self.model, call.before, call.kwargs))
        return {name: found[place].shape[d] for (place, d), name in self.names.items()}

    def assert_ends_alike(self, wanted, found, where):
        """Both raise, or none; an InputError stands for any exception."""
        said = [f"{type(one).__name__}: {one}" for one in (wanted, found)]
        text = f"{where}: {said[1]}, and {said[0]} is right"
        assert (wanted is None) == (found is None), text
        if not isinstance(found, InputError):
            # The class may stand for one of this name that is not loaded.
            names = {one.__name__ for one in type(wanted).__mro__}
            assert type(found).__name__ in names, text

    def assert_equal(self, wanted, found, what):
        wanted = plain(wanted)
        difference = value_difference(wanted, plain(found), tolerance(wanted), what)
        assert difference is None, difference

    def assert_went_alike(self, decisions, where):
        """At lines with one test, which both have made as often, the sides are the
        same."""
        eagers = {}
        for one in decisions:
            eagers.setdefault((one.file, one.line), []).append(one.taken)
        mine = {}
        for one in self.many.path:
            mine.setdefault((one.file, one.line), []).append(one)
        for line in mine.keys() & eagers.keys():
            tests = {one.test for one in mine[line]}
            found, wanted = [side_of(one) for one in mine[line]], eagers[line]
            if len(tests) == 1 and COMPOUND.isdisjoint(*map(str.split, tests)):
                is_same = len(found) != len(wanted) or found == wanted
                assert is_same, f"where {where}: the path at {line}"

    def set_state(self, state):
        if self.has_state:
            self.many.reset_state()  # What has no value yet is not in a state.
            self.many.state = copy.deepcopy(state)

    def of_each_path(self):
        """The calls that raise nothing, the first of each path in front."""
        good = [call for call in self.calls if call.error is None]
        first = {str(call.path): call for call in reversed(good)}
        return [*first.values(), *(c for c in good if first[str(c.path)] is not c)]

    def other_sizes(self, call):
        """Name -> size, for each call with other sizes."""
        known = self.sizes_of(call)
        kinds = [
            {name: max(0, n if i < 3 else size + n) for name, size in known.items()}
            for i, n in enumerate(SIZES)
        ]
        if len(known) > 1:
            kinds += [
                {name: self.chance.choice(kinds)[name] for name in known} for _ in SIZES
            ]
        return [sizes for sizes in kinds if sizes != known]

    def of_sizes(self, call, sizes):
        """The arguments of a call, of which rows are repeated or cut."""

        def change(place, tensor):
            tensor = torch.as_tensor(tensor)
            has_gradient = tensor.requires_grad
            for d in range(tensor.ndim):
                if (place, d) in self.names:
                    size = sizes[self.names[place, d]]
                    tensor = with_rows(tensor, d, size)
            return tensor.detach().requires_grad_(has_gradient)

        return copy.deepcopy(
            with_arguments(self.model, call.before, call.kwargs, change)
        )


def with_rows(tensor, dimension, size):
    """As many rows as `size` along a dimension: those of the tensor, over and over."""
    before = tensor.shape[dimension]
    if before:
        return tensor.index_select(dimension, torch.arange(size) % before)
    shape = [*tensor.shape]
    shape[dimension] = size
    return tensor.new_zeros(shape)
