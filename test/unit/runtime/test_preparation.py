"""Weights are prepared once for all launches and threads, and stand in their place."""

from types import SimpleNamespace

import numpy as np
import pytest

from dycl.runtime.buffers import Buffer, adopt
from dycl.runtime.preparation import Preparations


class _Doubling:
    """A kernel `out = 2 * weight`, which counts how often it runs."""

    def __init__(self, *weights):
        self.memory = {w.address: w for w in weights}
        self.runs = 0

    def bind(self, source, target):
        def run():
            self.runs += 1
            made = self.memory[source].array * 2
            # The runtime's own memory, known by its address only.
            view = np.ctypeslib.as_array(
                (np.ctypeslib.ctypes.c_float * made.size).from_address(target)
            )
            view[:] = made.ravel()

        return run


def _kernel(*weights, recipes=()):
    doubling = _Doubling(*weights)
    spec = SimpleNamespace(dtype="float32", shape=(2,))
    prepared = SimpleNamespace(
        weights=(1,), outputs=(spec,), recipes=recipes, kernel=doubling
    )
    return SimpleNamespace(prepared=prepared, inputs_left=(0, 2)), doubling


def _buffer(*values):
    return adopt(np.array(values, np.float32))


def test_prepared_weights_come_last_and_once():
    w, v, x = _buffer(1, 2), _buffer(3, 4), _buffer(0, 0)
    kernel, doubling = _kernel(w, v)
    preparations = Preparations()
    for weight, want in ((w, [2, 4]), (v, [6, 8]), (w, [2, 4])):
        first, number, prepared = preparations.inputs("k", kernel, [..., weight, 7])
        assert (first, number) == (..., 7)
        assert isinstance(prepared, Buffer)
        np.testing.assert_array_equal(prepared.array, want)
        assert prepared.address % 64 == 0
    assert (doubling.runs, len(preparations), preparations.nbytes) == (2, 2, 16)
    other, _ = _kernel(x)
    preparations.inputs("other", other, [..., x, 7])
    assert len(preparations) == 3, "another kernel prepares in its own way"


def test_a_kernel_without_preparation_gets_its_inputs():
    inputs = [..., _buffer(1, 2), 7]
    assert Preparations().inputs("k", SimpleNamespace(), inputs) is inputs
    assert Preparations().inputs("k", SimpleNamespace(prepared=None), inputs) is inputs


def test_a_weight_of_each_call_is_refused():
    kernel, _ = _kernel()
    with pytest.raises(TypeError, match="'k' is given at each call"):
        Preparations().inputs("k", kernel, [..., ..., 7])


def test_kernels_share_what_they_make_alike():
    w, v = _buffer(1, 2), _buffer(3, 4)
    first, one = _kernel(w, v, recipes=[("twice", (0,))])
    second, other = _kernel(w, v, recipes=[("twice", (0,))])
    preparations = Preparations()
    *_, made = preparations.inputs("first", first, [..., w, 7])
    *_, shared = preparations.inputs("second", second, [..., w, 7])
    assert shared is made
    assert (one.runs, other.runs, preparations.nbytes) == (1, 0, 8)
    *_, own = preparations.inputs("second", second, [..., v, 7])
    assert own is not made
    assert other.runs == 1
