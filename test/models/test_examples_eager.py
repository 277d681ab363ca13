"""The example networks themselves, in eager: sizes, shapes, and the paths they take."""

from collections import Counter

import pytest
import torch

from dycl.checking.eager import data_dependent, record
from examples import (
    blockdrop,
    captioning,
    ranet,
    shallow_deep_mobilenet,
    shallow_deep_resnet,
    shallow_deep_vgg,
    shallow_deep_wideresnet,
    skipnet,
    skipnet_rnn,
)
from examples.digits import digits

# Eager and compiled differ by about 1e-6, so a predicate this far from its threshold
# goes the same way in both.
SAFE_MARGIN = 1e-3


def parameters(model):
    return sum(parameter.numel() for parameter in model.parameters())


def path(decisions):
    return "".join("1" if d.taken else "0" for d in data_dependent(decisions))


def margin(decisions):
    return min(d.margin for d in data_dependent(decisions))


@pytest.mark.parametrize(
    ("module", "millions", "classes"),
    [
        (skipnet, 1.15, 10),
        (skipnet_rnn, 0.57, 10),
        (shallow_deep_mobilenet, 92.57, 1000),
        (shallow_deep_vgg, 112.61, 1000),
        (shallow_deep_resnet, 5.47, 1000),
        (shallow_deep_wideresnet, 25.84, 1000),
        (blockdrop, 1.81, 10),
        (ranet, 3.26, 10),
    ],
)
def test_size_and_result(module, millions, classes):
    model, inputs = module.build(), module.example_inputs()
    assert not model.training
    assert round(parameters(model) / 1e6, 2) == millions
    with torch.no_grad():
        result = model(*inputs)
    logits = result[0] if isinstance(result, (tuple, list)) else result
    assert logits.shape == (1, classes)
    assert logits.dtype == torch.float32
    assert logits.isfinite().all()


@pytest.mark.parametrize(
    ("build", "encoder", "decoder", "stride"),
    [(captioning.build, 8.44, 9.26, 16), (captioning.build_resnet, 42.5, 22.61, 32)],
)
def test_captioning_size_and_result(build, encoder, decoder, stride):
    model, (x,) = build(), captioning.example_inputs()
    assert round(parameters(model.encoder) / 1e6, 2) == encoder
    assert round(parameters(model.decoder) / 1e6, 2) == decoder
    with torch.no_grad():
        side = 256 // stride // 4
        assert model.encoder(x).shape == (1, side, side, model.encoder.encoder_dim)
        caption = model(x)
    assert caption.dtype == torch.int64
    assert caption[0, 0] == model.word_map["<start>"]
    assert 2 <= caption.shape[1] <= 11


@pytest.mark.parametrize(
    "module", [skipnet, skipnet_rnn, shallow_deep_resnet, blockdrop, ranet]
)
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


EXITS = [
    (shallow_deep_mobilenet, 5),
    (shallow_deep_vgg, 6),
    (shallow_deep_resnet, 6),
    (shallow_deep_wideresnet, 6),
    (ranet, 8),
]


@pytest.mark.parametrize(("module", "exits"), EXITS)
def test_leaves_at_each_exit_and_at_the_end(module, exits):
    twin, inputs = module.cases()[0]
    paths = []
    for x in inputs:
        _, decisions = record(twin, x)
        assert margin(decisions) > SAFE_MARGIN
        paths.append(path(decisions))
    assert paths == [*("0" * k + "1" for k in range(exits)), "0" * exits]


def test_shallow_deep_published_size_is_safe():
    _, (published, inputs) = shallow_deep_resnet.cases()
    for x in inputs:
        output, decisions = record(published, x)
        assert margin(decisions) > SAFE_MARGIN
        assert output.shape == (1, 1000)


def test_ranet_returns_the_logits_before_the_exit():
    ((twin, inputs),) = ranet.cases()
    assert [len(record(twin, x)[0]) for x in inputs] == [*range(9)]


def test_ranet_channels_are_the_published_ones():
    channels = [[b.out_channels for b in f] for f in ranet.build().scale_flows]
    assert channels == [
        [160, 256],
        [100, 92, 140, 188],
        [50, 46, 87, 69, 93, 117],
        [50, 46, 87, 138, 101, 156, 180, 204],
    ]


def test_captions_end_at_each_word_and_not_at_all():
    ((twin, inputs),) = captioning.cases()
    margins = []

    def best_two(module, arguments, scores):
        first, second = scores[0].topk(2).values
        margins.append(float(first - second))

    twin.decoder.fc.register_forward_hook(best_two)
    captions = [record(twin, x)[0] for x in inputs]
    assert [c.shape[1] for c in captions] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11]
    end = twin.word_map["<end>"]
    assert [int((c == end).sum()) for c in captions] == [1] * 10 + [0]
    assert min(margins) > SAFE_MARGIN


def test_shallow_deep_flags_are_the_structure_of_the_model():
    (twin, inputs), _ = shallow_deep_resnet.cases()
    _, decisions = record(twin, inputs[-1])
    flags = [d.taken for d in decisions if d.source == "if is_output:"]
    assert len(flags) == 27
    assert [i for i, flag in enumerate(flags) if flag] == [3, 7, 11, 15, 19, 23]


@pytest.mark.parametrize(
    ("module", "published"),
    [
        (shallow_deep_mobilenet, [4096, 8192, 16384, 16384, 32768]),
        (shallow_deep_vgg, [1024, 2048, 4096, 4096, 8192, 8192]),
        (shallow_deep_resnet, [256, 256, 512, 512, 1024, 1024]),
        (shallow_deep_wideresnet, [1024, 1024, 2048, 2048, 4096, 4096]),
    ],
)
def test_shallow_deep_classifiers_see_what_was_published(module, published):
    classifiers = [
        layer.output.linear.in_features
        for layer in module.build().layers
        if hasattr(layer, "output")
    ]
    assert classifiers == published


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


def test_recurrent_skipnet_takes_each_of_18_decisions_both_ways():
    ((model, inputs),) = skipnet_rnn.cases()
    paths = []
    for x in inputs:
        (logits, kept), decisions = record(model, x)
        assert margin(decisions) > SAFE_MARGIN
        assert logits.shape == (1, 10)
        assert (kept.shape, kept.dtype) == ((1,), torch.int64)
        assert len(decisions) == 36
        paths.append(path(decisions))
        # The first gate counts twice, as published.
        assert int(kept) == paths[-1].count("1") + int(paths[-1][0])
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
