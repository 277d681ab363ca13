"""A compiled network as a callable: inputs, outputs, path, threads, errors."""

import subprocess
import sys
import threading
import traceback

import numpy as np
import pytest
import torch

from dycl.runtime import CompiledNet, Decision, InputError
from dycl.runtime.finders import make_finder

HOST = """
INPUTS = (("x", "float32", (2, 3)), ("n", "int", None))
DECISIONS = (("gate", "n > 0", "net.py", 7), ("", "", "", 0))

def load(rt):
    w = rt.param("fc.weight", "float32", (3,))
    y = rt.buffer("float32", (2, 3))
    scale = rt.launch("scale", (..., w), (y,))
    decide, result = rt.decide, rt.result

    def forward(x, n):
        if decide(0, n > 0):
            scale(x)
            return {"y": result(y), "n": n, "all": [result(x), (result(w),)]}
        decide(1, True)
        return result(x)

    return forward
"""
WEIGHTS = {"fc.weight": np.array([1, 2, 3], np.float32)}
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def scale(x, w, y):
    np.multiply(x, w, out=y)


@pytest.fixture
def net():
    return CompiledNet(HOST, {"scale": scale}, WEIGHTS)


# ---- inputs that are right


@pytest.mark.parametrize(
    "x",
    [
        X,
        np.asfortranarray(X),
        np.arange(12, dtype=np.float32).reshape(2, 6)[:, ::2] / 2,
        X.astype(">f4"),
        np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 3),
        X[::-1].copy()[::-1],
    ],
    ids=["plain", "fortran", "strided", "big-endian", "unaligned", "reversed"],
)
def test_any_memory_layout(net, x):
    out = net(x, 1)
    assert np.array_equal(out["y"], X * [1, 2, 3])
    assert out["y"].dtype == np.float32


def test_names_may_be_given(net):
    assert np.array_equal(net(n=1, x=X)["y"], net(X, n=1)["y"])


def test_numpy_scalars_are_numbers(net):
    assert net(X, np.int32(5))["n"] == 5


def test_rank_zero():
    host = """
INPUTS = (("x", "float64", ()), ("f", "float", None), ("b", "bool", None))
DECISIONS = ()
def load(rt):
    return lambda x, f, b: (rt.result(x), f, b)
"""
    net = CompiledNet(host, {}, {})
    for x in (np.array(2.5), np.float64(2.5)):
        out, f, b = net(x, 3, np.bool_(True))
        assert (out.shape, out.item()) == ((), 2.5)
        assert (type(f), f, b) == (float, 3.0, True)


def test_other_arrays_come_through_dlpack(net):
    class Tensor:
        def __dlpack__(self, **options):
            return X.__dlpack__(**options)

        def __dlpack_device__(self):
            return X.__dlpack_device__()

    assert np.array_equal(net(Tensor(), 1)["y"], X * [1, 2, 3])


# ---- torch


@pytest.mark.parametrize(
    "x",
    [
        torch.from_numpy(X),
        torch.from_numpy(X.copy()).requires_grad_(),
        torch.nn.Parameter(torch.from_numpy(X.copy())),
        torch.from_numpy(np.ascontiguousarray(X.T)).T,
        torch.from_numpy(-X)._neg_view(),
    ],
    ids=["plain", "requires-grad", "parameter", "transposed", "negative-bit"],
)
def test_torch_in_torch_out(net, x):
    out = net(x, 1)
    assert torch.equal(out["y"], torch.from_numpy(X * WEIGHTS["fc.weight"]))
    assert not out["y"].requires_grad
    assert isinstance(out["all"][1][0], torch.Tensor)
    assert out["n"] == 1


def test_torch_on_another_device(net):
    with pytest.raises(InputError, match=r"`x` is on device meta; move it with .cpu"):
        net(torch.empty(2, 3, device="meta"), 1)


def test_torch_dtype_without_a_numpy_twin(net):
    with pytest.raises(InputError, match="`x` has dtype bfloat16"):
        net(torch.zeros(2, 3, dtype=torch.bfloat16), 1)


def test_sparse_torch_tensor(net):
    with pytest.raises(InputError, match=r"has layout torch\.sparse_coo"):
        net(torch.zeros(2, 3).to_sparse(), 1)


# ---- inputs that are wrong


@pytest.mark.parametrize(
    ("args", "kwargs", "says"),
    [
        ((X,), {}, "the network takes 2 inputs (x, n), but 1 was given"),
        ((X, 1, 2), {}, "the network takes 2 inputs (x, n), but 3 were given"),
        ((X,), {"m": 1}, "the network has no input `m`; it takes 2 inputs (x, n)"),
        ((X,), {"x": X}, "the input `x` was given twice"),
        ((X, 1, 2), {"n": 1}, "the input `n` was given twice"),
        ((), {"n": 1}, "the input `x` is missing"),
        (
            (X.T.copy(), 1),
            {},
            "the input `x` has shape [3, 2]; "
            "the network was compiled for float32[2, 3]",
        ),
        (
            (X.astype(np.float64), 1),
            {},
            "the input `x` has dtype float64; "
            "the network was compiled for float32[2, 3]",
        ),
        (
            ([[0.0] * 3] * 2, 1),
            {},
            "the input `x` is of type list, not a tensor; "
            "the network was compiled for float32[2, 3]",
        ),
        (
            (None, 1),
            {},
            "the input `x` is None, not a tensor; "
            "the network was compiled for float32[2, 3]",
        ),
        (
            (X, 1.0),
            {},
            "the input `n` is of type float; the network was compiled for int",
        ),
        (
            (X, True),
            {},
            "the input `n` is of type bool; the network was compiled for int",
        ),
        (
            (X, 2**63),
            {},
            "the input `n` does not fit in 64 bits; the network was compiled for int",
        ),
        (
            (X, np.zeros(2)),
            {},
            "the input `n` is of type ndarray; the network was compiled for int",
        ),
    ],
)
def test_wrong_inputs_get_a_sentence(net, args, kwargs, says):
    with pytest.raises(InputError) as caught:
        net(*args, **kwargs)
    assert str(caught.value) == f"{says} (DY601)"
    assert isinstance(caught.value, ValueError)


# ---- outputs


def test_outputs_belong_to_the_caller(net):
    x = X.copy()
    first = net(x, 1)
    kept = first["y"].copy()
    second = net(x * 2, 1)
    assert np.array_equal(first["y"], kept)
    assert np.array_equal(second["y"], 2 * kept)


def test_writing_to_an_output_changes_neither_input_nor_weights(net):
    x = X.copy()
    out = net(x, 1)
    out["all"][0][:] = -1
    out["all"][1][0][:] = -1
    net(x, 0)[:] = -1
    assert np.array_equal(x, X)
    assert np.array_equal(net(x, 1)["y"], X * [1, 2, 3])


def test_torch_outputs_do_not_share_memory_with_inputs(net):
    x = torch.from_numpy(X.copy())
    net(x, 0).fill_(-1)
    assert torch.equal(x, torch.from_numpy(X))


# ---- path


def test_path_in_the_users_words(net):
    assert net.path == ()
    net(X, 1)
    assert net.path == (Decision("gate", "n > 0", True, "net.py", 7),)
    assert str(net.path[0]) == "gate: n > 0 is True (net.py:7)"
    net(X, 0)
    assert [str(d) for d in net.path] == [
        "gate: n > 0 is False (net.py:7)",
        "a decision is True",
    ]


def test_threads_have_their_own_buffers_and_path():
    barrier = threading.Barrier(2, timeout=30)

    def slow_scale(x, w, y):
        np.multiply(x, w, out=y)
        barrier.wait()  # both calls are past their kernel before either returns

    net = CompiledNet(HOST, {"scale": slow_scale}, WEIGHTS)
    seen = {}

    def call(factor):
        out = net(X * factor, factor)
        seen[factor] = out["y"], net.path

    workers = [threading.Thread(target=call, args=(k,)) for k in (1, 2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=30)
    for factor in (1, 2):
        assert np.array_equal(seen[factor][0], factor * X * [1, 2, 3])
        assert len(seen[factor][1]) == 1
    assert net.path == ()  # this thread has not called


# ---- loading


def test_missing_weight_and_kernel():
    with pytest.raises(KeyError, match=r"the weights have no entry 'fc\.weight'"):
        CompiledNet(HOST, {"scale": scale}, {})
    with pytest.raises(KeyError, match="there is no kernel 'scale'"):
        CompiledNet(HOST, {}, WEIGHTS)


def test_weight_of_another_type():
    with pytest.raises(
        ValueError, match=r"'fc.weight' is float64\[3\]; .* float32\[3\]"
    ):
        CompiledNet(HOST, {"scale": scale}, {"fc.weight": np.zeros(3)})


def test_weights_may_be_strided():
    weights = {"fc.weight": np.array([1, 0, 2, 0, 3, 0], np.float32)[::2]}
    net = CompiledNet(HOST, {"scale": scale}, weights)
    assert np.array_equal(net(X, 1)["y"], X * [1, 2, 3])


def test_traceback_shows_the_host():
    def broken(x, w, y):
        raise RuntimeError("broken kernel")

    net = CompiledNet(HOST, {"scale": broken}, WEIGHTS)
    with pytest.raises(RuntimeError, match="broken kernel") as caught:
        net(X, 1)
    text = "".join(traceback.format_exception(caught.value))
    assert "scale(x)" in text
    assert [d.taken for d in net.path] == [True]


# ---- native kernels


class NativeScale:
    """Multiplies three floats at an address, as compiled code would."""

    def bind(self, *arguments):
        import ctypes

        slots = list(arguments)

        class Bound:
            def store(self, index, value):
                slots[index] = value

            def __call__(self):
                x, w, y = (
                    ctypes.POINTER(ctypes.c_float).from_buffer(ctypes.c_void_p(address))
                    for address in slots
                )
                for i in range(6):
                    y[i] = x[i] * w[i % 3]

        return Bound()


def test_native_kernels_get_addresses():
    net = CompiledNet(HOST, {"scale": NativeScale()}, WEIGHTS)
    for x in (X, X + 1, np.asfortranarray(X)):
        out = net(x, 1)
        assert np.array_equal(out["y"], x * [1, 2, 3])


def test_kernel_memory_is_aligned():
    seen = []

    class Spy:
        def bind(self, *arguments):
            seen.extend(arguments)
            return lambda: None

    host = """
INPUTS = ()
DECISIONS = ()
def load(rt):
    buffers = [rt.buffer("int8", (n,)) for n in (1, 3, 65)]
    return rt.launch("spy", (2.5,), buffers)
"""
    CompiledNet(host, {"spy": Spy()}, {})
    assert seen[0] == 2.5
    assert [address % 64 for address in seen[1:]] == [0, 0, 0]


# ---- imports


def test_runtime_imports_numpy_and_the_standard_library_only():
    program = """
import sys
for name in ("torch", "xdsl", "torch_mlir", "safetensors", "rich"):
    sys.modules[name] = None
import numpy as np
from dycl.runtime import CompiledNet
host = '''
INPUTS = (("x", "float32", (2,)),)
DECISIONS = ()
def load(rt):
    return lambda x: rt.result(x)
'''
print(CompiledNet(host, {}, {})(np.ones(2, np.float32)).tolist())
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == "[1.0, 1.0]\n"


# ---- keys from the data


@pytest.mark.parametrize(
    "container",
    [[10, 20, 30], (10, 20), {"a": 10, "b": 20}, {0: 10, 1.5: 20, True: 30, None: 40}],
    ids=["list", "tuple", "texts", "mixed"],
)
@pytest.mark.parametrize("key", [0, 1, 2, 3, -1, -3, -4, True, False, "a", 1.5, None])
def test_finder_is_pythons_subscript(container, key):
    is_dict = isinstance(container, dict)
    if not is_dict and not isinstance(key, int):
        return
    kind = type(container).__name__
    error = "KeyError" if is_dict else f"IndexError: {kind} index out of range"
    keys = tuple(container) if is_dict else len(container)
    find = make_finder(keys, error)
    try:
        expected = container[key]
    except LookupError as lookup:
        with pytest.raises(type(lookup), match=f"^{lookup}$"):
            find(key)
    else:
        assert list(container.values() if is_dict else container)[find(key)] == expected


def test_finder_names_the_key_or_gives_the_place_behind_the_last():
    with pytest.raises(IndexError, match="^index -7 is out of range$"):
        make_finder(3, "IndexError: index {} is out of range")(-7)
    assert make_finder((2, 4), "")(3) == 2
