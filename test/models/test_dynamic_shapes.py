"""Compiled once, a network is equal to eager for every size of its inputs.

The sizes include the smallest and the largest, 0 and 1 where they are in range, and
those on both sides of each decision. Each level is printed, parsed and interpreted.
"""

import importlib.util
import re
import sys
import warnings
from functools import cache
from pathlib import Path

import hypothesis
import numpy as np
import pytest
import torch
from hypothesis import strategies
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.runtime import InputError
from dycl.tools.same import new_context

_PATH = Path(__file__).parent / "programs" / "dynamic_shapes.py"
_SPEC = importlib.util.spec_from_file_location("dycl_test_dynamic_shapes", _PATH)
programs = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = programs  # torch.export imports it by this name
_SPEC.loader.exec_module(programs)

LEVELS = ("normal", "typed", "hcfg", "host")
every_program = pytest.mark.parametrize(
    "network", programs.PROGRAMS, ids=lambda network: network.__name__
)


@cache
def compiled(network):
    """The model, and what it compiles to from inputs of one size."""
    torch.manual_seed(1)
    model = network().eval()
    example = network.inputs(*network.sizes[-1])
    shapes = network.dynamic_shapes
    return model, dycl.compile(model, example, dynamic_shapes=shapes, verify=True)


def equal(ours, eager):
    if isinstance(eager, torch.Tensor):
        torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5, equal_nan=True)
        return
    assert type(ours) is type(eager)
    if isinstance(eager, tuple):
        assert len(ours) == len(eager)
        for one, other in zip(ours, eager, strict=True):
            equal(one, other)
    else:
        assert ours == eager


def expected(model, inputs):
    with torch.no_grad():
        return model(*inputs)


@every_program
def test_equals_eager_at_every_size(network):
    torch.manual_seed(2)
    model, net = compiled(network)
    assert net.host == "native", net.why_python
    taken, results = set(), []
    for size in network.sizes * 3:
        inputs = network.inputs(*size)
        actual = net(*inputs)
        results.append((actual, expected(model, inputs)))
        equal(*results[-1])
        taken |= {(d.name, d.line, d.taken) for d in net.path}
    for actual, eager in results:
        equal(actual, eager)  # no later call has changed it
    sides = {(name, line, t) for name, _, _, line in net.decisions for t in (0, 1)}
    # That a layer is given no steps, of a list as long as the input decides.
    raised = {side for side in sides if side[0].startswith("check") and side[2]}
    assert sides - raised <= taken <= sides


@every_program
def test_every_level_equals_eager(network):
    torch.manual_seed(3)
    model, net = compiled(network)
    with deep_recursion():
        for level in LEVELS:
            module = Parser(new_context(), net.stages[level]).parse_module()
            assert "dycl.sizes" in net.stages[level]
            machine = Interpreter(module, dict(model.state_dict()))
            for size in (network.sizes[0], network.sizes[-1]):
                inputs = network.inputs(*size)
                given = inputs[0].values() if isinstance(inputs[0], dict) else inputs
                equal(machine.run(list(given)).value, expected(model, inputs))


@hypothesis.settings(deadline=None, max_examples=25, database=None)
@hypothesis.given(
    *(strategies.integers(0, 9) for _ in range(2)), strategies.integers(0, 99)
)
def test_any_sizes(n, m, seed):
    torch.manual_seed(seed)
    model, net = compiled(programs.Sizes)
    inputs = programs.Sizes.inputs(n, m)
    equal(net(*inputs), expected(model, inputs))


@hypothesis.settings(deadline=None, max_examples=25, database=None)
@hypothesis.given(
    strategies.integers(1, 8), strategies.integers(1, 16), strategies.integers(0, 99)
)
def test_any_texts(b, n, seed):
    torch.manual_seed(seed)
    model, net = compiled(programs.Encoder)
    inputs = programs.Encoder.inputs(b, n)
    equal(net(*inputs), expected(model, inputs))


@pytest.mark.parametrize("shape", [(21, 8), (3, 9), (8,)], ids=str)
def test_a_shape_out_of_range(shape):
    _, net = compiled(programs.EarlyExit)
    before = net(np.ones((20, 8), np.float32))
    with pytest.raises(InputError) as caught:
        net(torch.zeros(shape))
    has = f"has shape {list(shape)}"
    if shape == (21, 8):
        has = "has size 21 in dimension 0, which is not in b = 0..20"
    assert str(caught.value) == (
        f"the input `x` {has}; the network was compiled for float32[b, 8], b = 0..20 "
        "(DY601)"
    )
    np.testing.assert_array_equal(net(np.ones((20, 8), np.float32)), before)


@cache
def deep():
    """A residual network whose last maps are a 32nd of the image, on one thread.

    With one, torch picks a library for a convolution by how large its image is.
    """
    torch.manual_seed(1)
    model = programs.Deep().eval()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        shapes = programs.Deep.dynamic_shapes
        return model, dycl.compile(model, model.inputs(40, 33), dynamic_shapes=shapes)
    finally:
        torch.set_num_threads(threads)


def test_a_network_of_images_asks_for_nothing():
    _, net = deep()
    assert "dycl.checked" not in net.stages["typed"]
    assert not net.kernels.plain


@hypothesis.settings(deadline=None, max_examples=25, database=None)
@hypothesis.given(strategies.integers(1, 99), strategies.integers(1, 99))
@hypothesis.example(1, 1)
@hypothesis.example(32, 32)
@hypothesis.example(33, 5)
@hypothesis.example(250, 250)
def test_any_images(h, w):
    model, net = deep()
    inputs = model.inputs(h, w)
    equal(net(*inputs), expected(model, inputs))


@pytest.mark.parametrize("strict", [False, True], ids=["", "strict"])
def test_exported_for_any_size(strict):
    torch.manual_seed(1)
    model, rows = programs.Exported().eval(), torch.export.Dim("rows", min=2, max=9)
    shapes = {"x": {0: rows}, "y": {1: rows}}
    example = model.inputs(3)
    with warnings.catch_warnings():  # torch's own, about its own tensors
        warnings.simplefilter("ignore")
        program = torch.export.export(
            model, example, dynamic_shapes=shapes, strict=strict
        )
    net = dycl.compile(program, model.inputs(5))
    assert list(map(str, net.sizes)) == ["x.size(0) = 2..9"]
    sides = set()
    for n in (2, 3, 8, 9) * 3:
        inputs = model.inputs(n)
        equal(net(*inputs), expected(model, inputs))
        sides |= {decision.taken for decision in net.path}
    assert sides == {True, False}
    for n in (1, 10):
        with pytest.raises(InputError, match=r"which is not in x\.size\(0\) = 2\.\.9"):
            net(*model.inputs(n))
    with pytest.raises(TypeError, match="says itself which sizes are dynamic"):
        dycl.compile(program, example, dynamic_shapes=shapes)


def test_one_name_is_one_size():
    n = dycl.Dim("n", min=1)
    shapes = {"x": {0: n}, "y": {1: n}}
    example = torch.zeros(3, 2), torch.zeros(2, 3)
    net = dycl.compile(lambda x, y: y @ x, example, dynamic_shapes=shapes)
    assert "dycl.checked" not in net.stages["typed"]
    equal(net(torch.ones(5, 2), torch.ones(2, 5)), torch.full((2, 2), 5.0))
    words = "`y` has size 4 in dimension 1, where n is 5 in `x`; the network was"
    with pytest.raises(InputError, match=re.escape(words)):
        net(torch.ones(5, 2), torch.ones(2, 4))
    with pytest.raises(InputError, match=r"size 0 in dimension 0, .* n = 1\.\."):
        net(torch.ones(0, 2), torch.ones(2, 0))


@cache
def positions():
    model = programs.Positions().eval()
    shapes = {"x": {0: dycl.Dim("n")}, "y": {0: dycl.Dim("m")}}
    example = torch.zeros(16, 4), torch.zeros(16)
    return model, dycl.compile(model, example, dynamic_shapes=shapes)


@pytest.mark.parametrize("sizes", programs.CONSTRAINTS, ids=str)
def test_a_size_that_the_model_fixes(sizes):
    model, net = positions()
    inputs = torch.randn(sizes[0], 4), torch.randn(sizes[1])
    sentence = programs.CONSTRAINTS[sizes]
    if sentence is None:
        equal(net(*inputs), expected(model, inputs))
        return
    with pytest.raises(InputError) as caught:
        net(*inputs)
    found = r" \(dynamic_shapes\.py:\d+\).* \(DY601\)"
    assert re.fullmatch(re.escape(sentence) + found, str(caught.value))
