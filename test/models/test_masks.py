"""Masks, `nonzero` and indices from the data: what eager gives, or what it raises."""

import importlib.util
from functools import partial
from pathlib import Path

import pytest
import torch
from xdsl.parser import Parser

import dycl
from dycl.diag import CompileErrors
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context

_path = Path(__file__).parent / "programs" / "masks.py"
_spec = importlib.util.spec_from_file_location("dycl_test_programs_masks", _path)
masks = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(masks)


LEVELS = ("normal", "typed", "hcfg", "host")


def equal(ours, eager):
    assert type(ours) is type(eager)
    if isinstance(eager, tuple):
        assert len(ours) == len(eager)
        for one, other in zip(ours, eager, strict=True):
            equal(one, other)
    elif isinstance(eager, torch.Tensor):
        torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5, equal_nan=True)
    else:
        assert ours == eager


def attempt(run, x):
    """What a run gives, or the class of what it raises."""
    try:
        with torch.no_grad():
            return run(x.clone())
    except (IndexError, RuntimeError) as error:
        return type(error).__name__


def _interpret(machine, x):
    return machine.run([x]).value


def check(function):
    """All inputs, compiled and in the interpreter; whether some of them raise."""
    torch.manual_seed(0)
    model = masks.Masked(function).eval()
    inputs = masks.inputs()
    net = dycl.compile(model, (inputs[0],), verify=True)
    expected = [attempt(model, x) for x in inputs]
    for x, eager in zip(inputs, expected, strict=True):
        equal(attempt(net, x), eager)
    taken = set()
    for x in inputs:
        attempt(net, x)
        taken |= {(d.name, d.taken) for d in net.path}
    assert taken == {(name, side) for name, *_ in net.decisions for side in (0, 1)}
    weights = dict(model.state_dict())
    for level in LEVELS:
        module = Parser(new_context(), net.stages[level], level).parse_module()
        with deep_recursion():
            machine = Interpreter(module, weights)
            for x, eager in list(zip(inputs, expected, strict=True))[3:8]:
                equal(attempt(partial(_interpret, machine), x), eager)
    return any(isinstance(eager, str) for eager in expected)


@pytest.mark.parametrize("function", masks.PROGRAMS, ids=lambda f: f.__name__)
def test_masks(function):
    assert not check(function)


@pytest.mark.parametrize("function", masks.RAISING, ids=lambda f: f.__name__)
def test_masks_that_may_not_fit(function):
    assert check(function)


@pytest.mark.parametrize("function", masks.REFUSED, ids=lambda f: f.__name__)
def test_refused(function):
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(masks.Masked(function).eval(), (masks.inputs()[0],))
    (error,) = caught.value.errors
    assert masks.REFUSED[function] in error.what
    assert "# refused" in str(error)
