"""How a native host is called: at once, or by way of what looks at each argument."""

import numpy as np
import pytest
import torch

from dycl.runtime import InputError, native
from dycl.runtime.objects import objects_of
from dycl.toolchain import find_compiler

CC = find_compiler()

pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler")

ADD = """
host.func @forward(%x : memref<2x3xf32>, %p : f64, %y : memref<i64>)
    params ["x", "p", "y"] {
  %z = host.alloc : memref<2x3xf32>
  host.launch @add ins(%x, %p, %y : memref<2x3xf32>, f64, memref<i64>)
    outs(%z : memref<2x3xf32>)
  %zero = dycl.constant 0.0 : f64 -> f64
  %c = dycl.compare gt %p, %zero : (f64, f64) -> i1
  dycl.if %c : i1 {
    dycl.return %z, %y : (memref<2x3xf32>, memref<i64>) -> ()
  } {test = "p > 0"}
  dycl.return %x, %y : (memref<2x3xf32>, memref<i64>) -> ()
}
"""

KERNEL = """
void kernel_add(const float *x, double p, const int64_t *y, float *z)
{
    for (int i = 0; i < 6; i++)
        z[i] = (float)(x[i] + p + *y);
}
"""


@pytest.fixture(params=["at once", "looked at"])
def net(request, loaded_native, monkeypatch):
    if request.param == "looked at":
        monkeypatch.setattr(native, "objects_of", lambda specs, sites: None)
    return loaded_native(ADD, KERNEL)


X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = np.array(7)


def test_here_it_is_known_where_objects_hold_what(loaded_native):
    assert objects_of(loaded_native(ADD, KERNEL).inputs, 2) is not None


def frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


class Sub(np.ndarray):
    """A class of the user's."""


LIKE_X = {
    "plain": X,
    "read only": frozen(X),
    "Fortran": np.asfortranarray(X),
    "strided": np.repeat(X, 2, 1)[:, ::2],
    "foreign": X.astype(">f4"),
    "unaligned": np.frombuffer(b"-" + X.tobytes(), np.uint8)[1:]
    .view("f4")
    .reshape(2, 3),
    "subclass": X.view(Sub),
    "with a dtype of its own": X.view(np.dtype("f4", metadata={"a": 1})),
}


@pytest.mark.parametrize("x", LIKE_X.values(), ids=LIKE_X)
@pytest.mark.parametrize("p", [1.5, -0.5, 2, np.float64(3), np.float32(-3)])
def test_what_fits(net, x, p):
    z, y = net(x, p, Y)
    assert type(z) is type(y) is np.ndarray
    wanted = X + np.float32(p + 7) if p > 0 else X
    assert (z.dtype, z.tobytes()) == (X.dtype, wanted.tobytes())
    assert (y.shape, y.dtype, y) == ((), Y.dtype, 7)
    assert [d.taken for d in net.path] == [p > 0]
    z[:] = 100
    assert X[0, 1] == 1
    np.testing.assert_array_equal(net(x, 1.0, Y)[0], X + 8)


@pytest.mark.parametrize(
    "x",
    [
        torch.from_numpy(X.copy()),
        torch.from_numpy(X.copy()).requires_grad_(),
        torch.from_numpy(X.T.copy()).t(),
        torch.nn.Parameter(torch.from_numpy(X.copy())),
        torch._neg_view(torch.from_numpy(-X)),
    ],
    ids=["plain", "with gradients", "strided", "parameter", "negated view"],
)
def test_torch_tensors(net, x):
    z, y = net(x, 1.0, torch.tensor(7))
    assert isinstance(z, torch.Tensor)
    assert isinstance(y, torch.Tensor)
    assert not z.requires_grad
    np.testing.assert_array_equal(z.numpy(), X + 8)
    assert isinstance(net(X, 1.0, torch.tensor(7))[0], torch.Tensor)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((X, 1.0), r"takes 3 inputs \(x, p, y\), but 2 were given"),
        ((X, 1.0, Y, Y), "but 4 were given"),
        ((X.astype("f8"), 1.0, Y), "`x` has dtype float64"),
        ((X[:1], 1.0, Y), r"`x` has shape \[1, 3\]"),
        ((X.reshape(2, 3, 1), 1.0, Y), r"`x` has shape \[2, 3, 1\]"),
        ((X.tolist(), 1.0, Y), "`x` is of type list, not a tensor"),
        ((X, True, Y), "`p` is of type bool"),
        ((X, "1", Y), "`p` is of type str"),
        ((X, X, Y), "`p` is of type ndarray"),
        ((X, 1.0, None), "`y` is None, not a tensor"),
        ((X, 1.0, torch.tensor(7.0)), "`y` has dtype float32"),
        ((torch.zeros(2, 3).bfloat16(), 1.0, Y), "`x` has dtype bfloat16"),
        ((torch.zeros(2, 3).to_sparse(), 1.0, Y), "`x` has layout"),
        ((torch.zeros(2, 3, device="meta"), 1.0, Y), "`x` is on device meta"),
    ],
)
def test_what_does_not_fit(net, arguments, words):
    net(X, 1.0, Y)
    with pytest.raises(InputError, match=words):
        net(*arguments)
    assert [d.taken for d in net.path] == [True]  # nothing was run
    np.testing.assert_array_equal(net(x=X, y=Y, p=1.0)[0], X + 8)


def test_an_output_at_many_addresses(net):
    kept = [X + i for i in range(100)]
    for x in kept * 2:
        np.testing.assert_array_equal(net(x, -1.0, Y)[0], x)


NUMBERS = """
host.func @forward(%n : i64, %b : i1, %p : f64) params ["n", "b", "p"] {
  dycl.if %b : i1 { dycl.return %n, %p : (i64, f64) -> () } {test = "b"}
  dycl.return %p, %n, %b : (f64, i64, i1) -> ()
}
"""


@pytest.fixture(params=["at once", "looked at"])
def numbers(request, loaded_native, monkeypatch):
    if request.param == "looked at":
        monkeypatch.setattr(native, "objects_of", lambda specs, sites: None)
    return loaded_native(NUMBERS, "")


INTS = [
    sign * value
    for bits in (0, 1, 15, 29, 30, 31, 59, 60, 61, 62)
    for value in (2**bits - 1, 2**bits, 2**bits + 1)
    for sign in (1, -1)
]


@pytest.mark.parametrize("n", [*INTS, 2**63 - 1, -(2**63)])
def test_ints_of_all_sizes_and_bools(numbers, n):
    for b in (True, False):
        returned = numbers(n, b, 0.5)
        assert returned == ((n, 0.5) if b else (0.5, n, False))
        assert type(returned[0 if b else 1]) is int
        assert numbers.path[0].taken is b


@pytest.mark.parametrize("n", [np.int64(-5), np.int8(3)])
def test_ints_of_numpy_are_ints(numbers, n):
    assert numbers(n, np.True_, 2) == (int(n), 2.0)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ((True, True, 0.5), "n"),
        ((1.0, True, 0.5), "n"),
        ((2**63, True, 0.5), "n"),
        ((None, True, 0.5), "n"),
        ((1, 1, 0.5), "b"),
        ((1, None, 0.5), "b"),
        ((1, True, "x"), "p"),
        ((1, True, False), "p"),
    ],
)
def test_other_objects_are_no_such_number(numbers, given, name):
    with pytest.raises(InputError, match=f"`{name}`"):
        numbers(*given)
