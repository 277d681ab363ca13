"""Kernels that could read or write elsewhere, or end the process: they raise."""

import importlib.util
import re
from pathlib import Path

import pytest
import torch

import dycl

_path = Path(__file__).parent / "programs" / "checked.py"
_spec = importlib.util.spec_from_file_location("dycl_test_programs_checked", _path)
programs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(programs)


def result(function, *inputs):
    """What a call gives, or the class and the first line of what it raises.

    A kernel does not say which index was wrong.
    """
    try:
        with torch.no_grad():
            return function(*(x.clone() for x in inputs))
    except (IndexError, RuntimeError) as error:
        text = re.sub(r"index -?\d+ is", "index is", str(error).splitlines()[0])
        return f"{type(error).__name__}: {text}"


def assert_same(actual, expected):
    if isinstance(expected, torch.Tensor):
        torch.testing.assert_close(actual, expected)
    elif isinstance(expected, tuple):
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other)
    else:
        assert actual == expected


def compare(function, fine, wrong):
    torch.manual_seed(0)
    model = programs.Checked(function).eval()
    net = dycl.compile(model, (fine[0],), verify=True)
    for x in fine:
        assert not isinstance(result(net, x), str)
        assert_same(result(net, x), result(model, x))
    for x in wrong:
        assert isinstance(result(net, x), str)
        assert_same(result(net, x), result(model, x))
        assert_same(result(net, fine[0]), result(model, fine[0]))


@pytest.mark.parametrize(
    "function", programs.COUNTED_FROM_THE_FRONT, ids=lambda f: f.__name__
)
def test_index_counted_from_the_front(function):
    compare(function, programs.FINE, programs.WRONG + programs.FROM_THE_END)


@pytest.mark.parametrize("function", programs.ANY_INDEX, ids=lambda f: f.__name__)
def test_index(function):
    compare(function, programs.FINE + programs.FROM_THE_END, programs.WRONG)


def test_after_a_decision():
    """What is raised depends on the path, and what eager never runs never raises."""
    function = programs.after_a_decision
    fine = [programs.FINE[0], programs.FINE[1], torch.tensor([2, -1, 1])]
    compare(function, fine, [torch.tensor([0, -1, 1]), torch.tensor([2, 5, 1])])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (torch.int64, torch.int64),
        (torch.int32, torch.int32),
        (torch.int8, torch.int8),
        (torch.int64, torch.int32),
    ],
    ids=str,
)
@pytest.mark.parametrize("function", programs.DIVISIONS, ids=lambda f: f.__name__)
def test_division(function, one, other):
    x = torch.tensor(programs.DIVIDENDS, dtype=one)
    y = torch.tensor(programs.DIVISORS, dtype=other)
    zero = y.clone()
    zero[4] = 0
    model = programs.Divides(function).eval()
    net = dycl.compile(model, (x, y), verify=True)
    assert not isinstance(result(net, x, y), str)
    assert_same(result(net, x, y), result(model, x, y))
    assert result(net, x, zero) == "RuntimeError: ZeroDivisionError"
    assert_same(result(net, x, y), result(model, x, y))


def test_smallest_integer():
    """By -1 it is itself: no processor divides so, and torch.div(trunc) dies of it."""
    x = torch.tensor([-(2**63), 2**63 - 1])
    y = torch.tensor([-1, -1])
    net = dycl.compile(programs.Divides(programs.all_of_them).eval(), (x, y))
    least = torch.tensor([-(2**63), -(2**63) + 1])
    zero = torch.zeros(2, dtype=torch.int64)
    assert_same(net(x, y), (least, zero, zero, least, least))


def test_by_zero_itself():
    x = torch.tensor([1, 2])
    model = programs.Divides(programs.by_zero).eval()
    net = dycl.compile(model, (x, x))
    assert result(net, x, x) == result(model, x, x) == "RuntimeError: ZeroDivisionError"


def test_random_numbers_on_a_path_that_is_not_taken():
    """A run that would draw them raises; the others are eager's."""

    class Net(torch.nn.Module):
        def forward(self, x):
            if x.sum() > 10:
                x = x * torch.nn.functional.dropout(x, 0.5)
            elif x.sum() < -10:
                return x + torch.empty_like(x).uniform_(0, 1)
            return x * 2

    x = torch.ones(3)
    net = dycl.compile(Net().eval(), (x,))
    assert_same(net(x), x * 2)
    for values, op in ((x * 9, "aten.bernoulli_"), (x * -9, "aten.uniform_")):
        text = f"torch op {op} draws random numbers, and a compiled network does not"
        assert result(net, values) == f"NotImplementedError: {text}"
