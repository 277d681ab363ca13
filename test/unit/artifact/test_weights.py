"""Other weights for a network: taken from the next call on, or refused by name."""

import copy

import numpy as np
import pytest
import safetensors.torch
import torch

import dycl
from dycl.runtime import WeightError


@pytest.fixture
def other(model):
    changed = copy.deepcopy(model)
    torch.manual_seed(7)
    with torch.no_grad():
        changed.fc.weight.normal_()
        changed.norm.running_mean.normal_()
    return changed


@pytest.fixture
def loaded(saved):
    return dycl.load(saved)


def assert_is(net, model, inputs):
    for x in inputs:
        with torch.no_grad():
            wanted = model(x)
        got = net(x)
        assert got["side"] == wanted["side"]
        torch.testing.assert_close(got["y"], wanted["y"], rtol=1e-5, atol=1e-6)


def test_a_state_dict(loaded, model, other, inputs):
    assert_is(loaded, model, inputs)
    loaded.load_weights(other.state_dict())
    assert_is(loaded, other, inputs)
    loaded.load_weights({n: t.numpy() for n, t in model.state_dict().items()})
    assert_is(loaded, model, inputs)


def test_a_compiled_model_takes_them_too(model, other, inputs, tmp_path):
    net = dycl.compile(model, (inputs[0],))
    net.load_weights(other.state_dict())
    assert_is(net, other, inputs)
    net.save(tmp_path / "other.dycl")
    assert_is(dycl.load(tmp_path / "other.dycl"), other, inputs)


def test_a_file(loaded, other, inputs, tmp_path):
    safetensors.torch.save_model(other, tmp_path / "w.safetensors")
    loaded.load_weights(tmp_path / "w.safetensors")
    assert_is(loaded, other, inputs)
    (tmp_path / "w.safetensors").write_bytes(b"nothing")
    assert_is(loaded, other, inputs)
    with pytest.raises(ValueError, match="not a safetensors file"):
        loaded.load_weights(tmp_path / "w.safetensors")
    with pytest.raises(WeightError, match="not a safetensors file"):
        loaded.load_weights("weights.bin")


def test_some_of_them(loaded, model, other, inputs):
    part = {"norm.running_mean": other.norm.running_mean}
    with pytest.raises(WeightError, match="`fc.bias` is missing"):
        loaded.load_weights(part)
    loaded.load_weights(part, strict=False)
    with torch.no_grad():
        other.fc.weight.copy_(model.fc.weight)
    assert_is(loaded, other, inputs)


def test_what_does_not_fit_changes_nothing(loaded, model, inputs):
    state = model.state_dict()
    wrong = {
        "fc.weight": torch.zeros(4, 5),
        "fc.bias": torch.zeros(5, dtype=torch.float64),
        "fc.scale": torch.zeros(1),
        "norm.bias": torch.zeros(5),
    }
    with pytest.raises(WeightError) as caught:
        loaded.load_weights({**state, **wrong})
    text = str(caught.value)
    assert "`fc.weight` is float32[4, 5], not float32[5, 4]" in text
    assert "`fc.bias` is float64[5], not float32[5]" in text
    assert "the network has no `fc.scale`" in text
    assert text.endswith("(DY604)")
    assert_is(loaded, model, inputs)
    with pytest.raises(WeightError, match="`fc.bias` is of type int, not a tensor"):
        loaded.load_weights({"fc.bias": 3}, strict=False)


def test_two_names_of_one_weight(loaded, model):
    state = dict(model.state_dict())
    state["head.weight"] = state["fc.weight"] + 1
    with pytest.raises(WeightError, match="one weight, but differ"):
        loaded.load_weights(state)
    del state["fc.weight"]
    loaded.load_weights(state)
    assert np.array_equal(loaded.weights["fc.weight"], state["head.weight"])


def test_other_threads_see_them(loaded, other, inputs):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        pool.submit(loaded, inputs[0]).result()
        loaded.load_weights(other.state_dict())
        pool.submit(assert_is, loaded, other, inputs).result()
