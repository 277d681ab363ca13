"""The example networks themselves, in eager: sizes, shapes, and the paths they take."""

from collections import Counter

import pytest
import torch

from examples import blockdrop, shallow_deep_resnet, skipnet
from examples.digits import digits
from examples.paths import data_dependent, record

# Eager and compiled differ by about 1e-6, so a predicate this far from its threshold
# goes the same way in both.
SAFE_MARGIN = 1e-3


@pytest.fixture(autouse=True)
def _one_thread():
    """Maps this small gain nothing from threads, and lose much on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def parameters(model):
    return sum(parameter.numel() for parameter in model.parameters())


def path(decisions):
    return "".join("1" if d.taken else "0" for d in data_dependent(decisions))


def margin(decisions):
    return min(d.margin for d in data_dependent(decisions))


@pytest.mark.parametrize(
    ("module", "millions", "classes"),
    [(skipnet, 1.15, 10), (shallow_deep_resnet, 5.47, 1000), (blockdrop, 1.81, 10)],
)
def test_size_and_result(module, millions, classes):
    model, inputs = module.build(), module.example_inputs()
    assert not model.training
    assert round(parameters(model) / 1e6, 2) == millions
    with torch.no_grad():
        result = model(*inputs)
    logits = result[0] if isinstance(result, tuple) else result
    assert logits.shape == (1, classes)
    assert logits.dtype == torch.float32
    assert logits.isfinite().all()


@pytest.mark.parametrize("module", [skipnet, shallow_deep_resnet, blockdrop])
def test_build_is_deterministic(module):
    first, second = module.build().state_dict(), module.build().state_dict()
    assert list(first) == list(second)
    assert all(torch.equal(first[key], second[key]) for key in first)


def test_blockdrop_takes_each_of_54_decisions_both_ways():
    ((model, inputs),) = blockdrop.cases()
    paths = []
    for x in inputs:
        (_, passed), decisions = record(model, x)
        assert margin(decisions) > SAFE_MARGIN
        assert passed.dtype == torch.int64
        assert passed.tolist() == [54]
        paths.append(path(decisions))
    assert {len(p) for p in paths} == {54}
    assert all(set(sides) == {"0", "1"} for sides in zip(*paths, strict=True))


def test_blockdrop_does_not_compute_what_is_dropped():
    ((model, inputs),) = blockdrop.cases()
    ran = []
    for blocks in model.blocks:
        for block in blocks:
            block.register_forward_hook(lambda *_: ran.append(1))
    for x in inputs:
        ran.clear()
        _, decisions = record(model, x)
        assert len(ran) == path(decisions).count("1")


def test_shallow_deep_leaves_at_each_of_6_exits_and_at_the_end():
    (twin, inputs), (published, published_inputs) = shallow_deep_resnet.cases()
    paths = []
    for x in inputs:
        output, decisions = record(twin, x)
        assert margin(decisions) > SAFE_MARGIN
        assert output.shape == (1, 10)
        paths.append(path(decisions))
    exits = ["1", "01", "001", "0001", "00001", "000001", "000000"]
    assert paths == exits
    for x in published_inputs:
        output, decisions = record(published, x)
        assert margin(decisions) > SAFE_MARGIN
        assert output.shape == (1, 1000)
        assert path(decisions) in exits


def test_shallow_deep_flags_are_the_structure_of_the_model():
    (twin, inputs), _ = shallow_deep_resnet.cases()
    _, decisions = record(twin, inputs[-1])
    flags = [d.taken for d in decisions if d.source == "if is_output:"]
    assert len(flags) == 27
    assert [i for i, flag in enumerate(flags) if flag] == [3, 7, 11, 15, 19, 23]


@pytest.mark.parametrize("size", [64, 256])
def test_shallow_deep_classifiers_see_what_was_published(size):
    classifiers = [
        layer.output.linear.in_features
        for layer in shallow_deep_resnet.build(size=size).layers
        if hasattr(layer, "output")
    ]
    assert classifiers == [256, 256, 512, 512, 1024, 1024]


def test_skipnet_takes_each_of_18_decisions_both_ways():
    paths = []
    for model, inputs in skipnet.cases():
        for x in inputs:
            (logits, blocks, mask), decisions = record(model, x)
            assert margin(decisions) > SAFE_MARGIN
            assert logits.shape == (1, 10)
            assert blocks.shape == (1,)
            assert mask.shape == (1, 1, 1, 1)
            assert len(decisions) == 37
            # The last gate's answer is returned, and decides nothing.
            assert int(mask) == int(path(decisions)[18])
            paths.append(path(decisions)[:18])
            assert int(blocks) == paths[-1].count("1")
    assert {len(p) for p in paths} == {18}
    assert all(set(sides) == {"0", "1"} for sides in zip(*paths, strict=True))


def test_skipnet_mask_repeats_the_gate():
    model, inputs = skipnet.cases()[0]
    _, decisions = record(model, inputs[0])
    gates = [d.taken for d in decisions if d.margin is not None]
    tests = [d.taken for d in decisions if d.source == "if mask == 0:"]
    assert tests == [not gate for gate in gates[:18]]


def test_skipnet_weights_read_digits_along_many_paths():
    model = skipnet.build()
    assert skipnet.WEIGHTS.stat().st_size < 5e6
    _, _, images, labels = digits()
    assert len(images) == 360
    right, fragile, paths = 0, 0, Counter()
    for image, label in zip(images.split(1), labels, strict=True):
        (logits, _, _), decisions = record(model, (image,))
        right += int(logits.argmax() == label)
        fragile += margin(decisions) < SAFE_MARGIN
        paths[path(decisions)[:18]] += 1
    assert right / 360 >= 0.95
    assert len(paths) >= 8
    assert fragile <= 4
    costs = [p.count("1") for p, _ in paths.most_common(3)]
    assert len(set(costs)) == 3


def test_training_sees_the_same_network():
    """The batched, masked forward used in training equals the one that skips."""
    from examples import train_skipnet

    model = skipnet.build()
    _, _, images, _ = digits()
    with torch.no_grad():
        batched, gates = train_skipnet.forward(model, images[:8])
        for i in range(8):
            (logits, blocks, _), _ = record(model, (images[i : i + 1],))
            torch.testing.assert_close(logits[0], batched[i], rtol=1e-4, atol=1e-4)
            assert int(blocks) == int((gates[i, :18] > 0.5).sum())
