"""Whole networks: compiled equals eager on inputs that take both sides of everything.

Its `cases()` together take every decision both ways, which is asserted, not assumed.

A network is one test: whatever is asked of what was compiled, it is compiled once.
"""

import copy
import importlib
from pathlib import Path

import numpy as np
import pytest

import dycl
from examples.compare import compare

NETWORKS = {
    "skipnet": 18,
    "skipnet_rnn": 18,
    "shallow_deep_mobilenet": 5,
    "shallow_deep_vgg": 6,
    "shallow_deep_resnet": 6,
    "shallow_deep_wideresnet": 6,
    "captioning": 10,
    "blockdrop": 54,
    "ranet": 8,
}
"""Example -> the number of decisions that only its input can make."""


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name):
    example = importlib.import_module(f"examples.{name}")
    ((model, inputs),) = small_cases(example)
    # A model may change when eager runs it: what is compiled is compiled as it was.
    fresh = copy.deepcopy(model)
    net = dycl.compile(fresh, inputs[0], verify=True)
    equals_eager_on_both_sides_of_every_decision(net, model, inputs, NETWORKS[name])
    path_is_in_the_users_words(net, inputs)
    numpy_in_gives_numpy_out(net, inputs)
    two_compilations_are_equal_to_the_byte(net, fresh, inputs)


def small_cases(example):
    """The example's cases, or its small twin's where the full size takes long."""
    return [c for c in example.cases() if len(c[1]) > 1]


def equals_eager_on_both_sides_of_every_decision(net, model, inputs, decisions):
    result = compare(net, model, inputs)
    assert result.worst <= 1e-4
    assert result.all_equal, result
    assert len(net.decisions) == decisions
    assert len(result.sides) == decisions
    one_sided = [k for k, taken in result.sides.items() if taken != {True, False}]
    assert not one_sided


def path_is_in_the_users_words(net, inputs):
    net(*inputs[0])
    assert len(net.path) <= len(net.decisions)
    for decision in net.path:
        assert decision.test in open_source(decision.file)
        assert decision.name in str(decision)


def open_source(file):
    """The text of an example, by the name that decisions give."""
    return Path("examples", file).read_text(encoding="utf-8")


def numpy_in_gives_numpy_out(net, inputs):
    (x,) = inputs[0]
    from_torch = net(x)
    from_numpy = net(x.numpy())
    strided = np.asfortranarray(x.numpy())
    for torch_leaf, numpy_leaf, strided_leaf in zip(
        leaves(from_torch), leaves(from_numpy), leaves(net(strided)), strict=True
    ):
        assert isinstance(numpy_leaf, np.ndarray)
        np.testing.assert_array_equal(torch_leaf.numpy(), numpy_leaf)
        np.testing.assert_array_equal(strided_leaf, numpy_leaf)


def leaves(output):
    """The tensors of a result."""
    return list(output) if isinstance(output, (tuple, list)) else [output]


def two_compilations_are_equal_to_the_byte(net, fresh, inputs):
    again = dycl.compile(fresh, inputs[0])
    assert again.stages == net.stages
    assert again.host_source == net.host_source
