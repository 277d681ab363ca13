"""Errors, comparisons, and the decisions of eager."""

import math

import numpy as np
import pytest
import torch

from dycl.checking.comparisons import Compared, Comparison
from dycl.checking.eager import record
from dycl.checking.paths import PathDifference
from dycl.checking.values import compare, largest_relative, measure
from dycl.runtime import Decision


def test_errors_are_absolute_relative_and_in_ulp():
    expected = torch.tensor([1.0, 8.0])
    error = measure(expected + torch.tensor([2**-22, 0.0]), expected)
    assert (error.absolute, error.relative, error.ulp) == (2**-22, 2**-25, 2)
    assert (error.expected, error.place) == (1.0, (0,))
    half = measure(torch.tensor([1 + 2**-10]).half(), torch.tensor([1.0]).half())
    assert half.ulp == 1
    assert half.within()
    assert not measure(torch.tensor([2]), torch.tensor([3])).within()
    assert str(measure(torch.tensor([2]), torch.tensor([3]))) == "2, not 3"


@pytest.mark.parametrize(
    ("here", "expected", "relative"),
    [
        (math.nan, math.nan, 0.0),
        (math.inf, math.inf, 0.0),
        (math.inf, -math.inf, math.inf),
        (math.nan, 1.0, math.inf),
        (1.0, math.nan, math.inf),
        (-0.0, 0.0, 0.0),
    ],
)
def test_errors_of_what_is_no_number(here, expected, relative):
    pair = (torch.tensor([here, 1.0]), torch.tensor([expected, 1.0]))
    assert measure(*pair).relative == relative


def test_structures_are_compared_leaf_by_leaf():
    here = {"a": [torch.ones(2), 3], "b": np.float32(0.5)}
    there = {"a": [torch.ones(2), 4], "b": 0.5}
    names = {leaf.name: leaf.within() for leaf in compare(here, there)}
    expected = {"output['a'][0]": True, "output['a'][1]": False, "output['b']": True}
    assert names == expected
    assert largest_relative(np.ones(2), torch.ones(2).double()) == 0
    assert largest_relative((1.0,), [1.0]) == math.inf
    assert largest_relative(torch.ones(2), torch.ones(2, 1)) == math.inf
    assert largest_relative([1.0], [1.0, 2.0]) == math.inf


@pytest.mark.parametrize(
    ("reduction", "values", "deciding"),
    [
        ("any", [1.0, 5.0, 9.0], 9.0),  # all that hold would have to turn
        ("any", [1.0, 2.0], 2.0),  # one has to
        ("all", [5.0, 9.0], 5.0),
        ("all", [1.0, 2.0, 9.0], 1.0),
        ("", [1.0, 9.0], 1.0),
    ],
)
def test_the_element_that_decides(reduction, values, deciding):
    found = Compared("gt", torch.tensor(values), 4.0, reduction).comparison()
    assert (found.sign, found.value, found.threshold) == (">", deciding, 4.0)


def test_a_number_on_the_left_is_the_threshold():
    found = Compared("lt", 0.5, torch.tensor([0.75])).comparison()
    assert str(found) == "0.75 > 0.5"
    assert (
        Compared("lt", 0.5, torch.tensor([0.75])).inverted().comparison().sign == "<="
    )
    assert Compared("gt", torch.tensor([]), 1.0).comparison() is None
    assert Compared("gt", torch.tensor([math.nan]), 1.0).comparison().margin is None


def test_eager_decisions_have_lines_sides_and_margins():
    def forward(x):
        if (x > 1).all() or not (x < 5).any():
            return x
        if x.sum() == 3:
            return x + 1
        return x

    _, decisions = record(forward, (torch.tensor([2.0, 0.25]),))
    assert [d.taken for d in decisions] == [False, True, False]
    assert [d.margin for d in decisions] == [0.75, 4.75, None]
    assert decisions[2].source == "if x.sum() == 3:"
    assert decisions[2].line == decisions[0].line + 2
    assert {d.file for d in decisions} == {"test_measures.py"}


@pytest.mark.parametrize(
    ("here", "told"),
    [
        (Comparison(">", 0.7003, 0.7), "0.7003 here, 0.6998 in eager, threshold 0.7"),
        (Comparison(">", 0.7003, 0.65), "0.7003 > 0.65 here, 0.6998 > 0.7 in eager"),
        (Comparison(">", 0.6998, 0.7), "True here, False in eager, of 0.6998 > 0.7"),
        (None, "True here, False in eager, of 0.6998 > 0.7"),
    ],
    ids=["a value", "a threshold", "inside the kernel", "not known"],
)
def test_where_two_paths_part(here, told):
    decision = Decision("exit 2", "p.max() > 0.7", True, "net.py", 31)
    right = Comparison(">", 0.6998, 0.7)
    found = PathDifference(4, decision, True, False, here, right, "eager")
    assert str(found) == f"exit 2: p.max() > 0.7 (net.py:31): {told}"
