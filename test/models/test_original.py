"""The published `forward` of the paper's networks: compiled equals eager.

Where it decides by the data, the inputs take every exit and both sides.
"""

import copy

import pytest
import torch

import dycl
from examples.original import blockdrop, captioning, ranet, shallow_deep, skipnet


def assert_same(actual, expected):
    """Equal in structure and values; NumPy's numbers are Python's."""
    if isinstance(expected, torch.Tensor):
        size = float(expected.abs().max()) if expected.numel() else 0.0
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-4 * size)
    elif isinstance(expected, (tuple, list)):
        assert type(actual) is type(expected)
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other)
    else:
        assert actual == expected


def check(model, inputs):
    """Compile and compare call by call; gives the network, results and paths."""
    net = dycl.compile(model, inputs[0])
    eager = copy.deepcopy(model)
    results, taken = [], {}
    for given in inputs:
        with torch.no_grad():
            expected = eager(*given)
        assert_same(net(*given), expected)
        results.append(expected)
        for decision in net.path:
            taken.setdefault(decision.name, set()).add(decision.taken)
    return net, eager, results, taken


@pytest.mark.parametrize("module", shallow_deep.BLOCKS, ids=lambda m: m.__name__[9:])
def test_shallow_deep_takes_every_exit_and_every_most_confident_classifier(module):
    ((model, inputs),) = [c for c in shallow_deep.cases(module) if len(c[1]) > 1]
    net, _, results, taken = check(model, inputs)
    exits = len(module.CLASSIFIER_STAGES)
    found = {(int(number), early) for _, number, early in results}
    assert {number for number, early in found if early} == {*range(exits)}
    assert {number for number, early in found if not early} == {*range(exits + 1)}
    assert {name for name, *_ in net.decisions} == taken.keys()
    assert all(sides == {True, False} for sides in taken.values())


@pytest.mark.parametrize("module", shallow_deep.BLOCKS, ids=lambda m: m.__name__[9:])
def test_shallow_deep_gives_all_its_classifiers(module):
    torch.manual_seed(0)
    ((network, inputs),) = [c for c in module.cases() if len(c[1]) > 1]
    model = shallow_deep.early_exit(network, module)
    del model.forward  # the class's own again
    for layer in model.layers:
        if not layer.no_output:
            layer.output.linear.reset_parameters()
    net, _, results, _ = check(model, inputs[:2])
    assert len(net.decisions) == 0
    assert all(len(outputs) == model.num_output for outputs in results)


def test_skipnet_masks_each_block_both_ways():
    ((model, inputs),) = skipnet.cases()
    net, _, results, _ = check(model, inputs)
    assert len(net.decisions) == 0
    for masks in zip(*(masks for _, masks, _ in results), strict=True):
        assert {mask.item() for mask in masks} == {0.0, 1.0}


def test_recurrent_skipnet_keeps_the_state_of_its_gate():
    ((model, inputs),) = skipnet.cases(recurrent=True)
    net, eager, _, _ = check(model, inputs[:3])
    assert_same(list(net.state["control.hidden"]), list(eager.control.hidden))
    assert_same(net.state["control.saved_actions"], eager.control.saved_actions)
    assert len(eager.control.saved_actions) == 3 * 18


def test_blockdrop_takes_each_of_54_decisions_both_ways():
    ((model, inputs),) = blockdrop.cases()
    net, _, _, taken = check(model, inputs)
    assert len(net.decisions) == 54
    assert all(sides == {True, False} for sides in taken.values())


def test_ranet_gives_all_its_classifiers():
    ((model, inputs),) = [case for case in ranet.cases() if len(case[1]) > 1]
    _, _, results, _ = check(model, inputs[:3])
    assert all(len(result) == 8 for result in results)


def test_captioning_takes_each_decision_of_its_beam_search_both_ways():
    ((model, inputs),) = captioning.cases()
    net = dycl.compile(model, inputs[0])
    lengths, taken = set(), {}
    for (image,) in inputs:
        expected = attempt(model, image)
        actual = attempt(net, image)
        if isinstance(expected, str):  # no sentence of the beam has ended
            assert actual == expected
            lengths.add(0)
        else:
            words, alphas = expected
            assert actual[0] == words
            assert_same(torch.tensor(actual[1]), torch.tensor(alphas))
            lengths.add(len(words))
        for decision in net.path:
            taken.setdefault(decision.name, set()).add(decision.taken)
    assert len(lengths) > 3
    tests = {name: test for name, test, *_ in net.decisions}
    assert tests.keys() == taken.keys()
    for name, sides in taken.items():
        # A beam of three is a small set: its order is known.
        both = {False} if tests[name] == "NotImplementedError" else {True, False}
        assert sides == both, name


def attempt(run, image):
    """What a call gives, or the words of the ValueError that it raises."""
    try:
        with torch.no_grad():
            return run(image)
    except ValueError as error:
        return str(error)
