"""A compiled network called wrongly, or unusually: a sentence, or the right answer."""

import threading

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.runtime.inputs import InputError


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, y):
        if x.sum() > 0:
            return self.linear(x) + y
        return x


class Scaled(nn.Module):
    def forward(self, x, k):
        return x * k if k > 1 else x


X, Y = torch.arange(1.0, 5.0).view(1, 4), torch.ones(1, 4)


@pytest.fixture(scope="module")
def model():
    """The model in eager."""
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(scope="module")
def net(model):
    """The model, compiled."""
    return dycl.compile(model, (X, Y))


WRONG = {
    "shape": ((torch.ones(2, 4), Y), {}, r"`x` has shape \[2, 4\]"),
    "rank": ((torch.ones(4), Y), {}, r"`x` has shape \[4\]"),
    "float64": ((X.double(), Y), {}, "`x` has dtype float64"),
    "second input": ((X, Y.int()), {}, "`y` has dtype int32"),
    "float64 array": ((X.double().numpy(), Y), {}, "`x` has dtype float64"),
    "too few": ((X,), {}, r"takes 2 inputs \(x, y\), but 1 was given"),
    "too many": ((X, Y, Y), {}, "but 3 were given"),
    "none at all": ((), {}, "but 0 were given"),
    "unknown keyword": ((X,), {"z": Y}, "no input `z`"),
    "twice": ((X, Y), {"x": X}, "`x` was given twice"),
    "list": (([[1.0] * 4], Y), {}, "`x` is of type list, not a tensor"),
    "None": ((None, Y), {}, "`x` is None"),
    "number": ((1.0, Y), {}, "`x` is of type float, not a tensor"),
    "meta": ((X.to("meta"), Y), {}, "on device meta"),
    "sparse": ((X.to_sparse(), Y), {}, "to_dense"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_a_sentence(net, case):
    args, kwargs, words = WRONG[case]
    with pytest.raises(InputError, match=words):
        net(*args, **kwargs)


UNUSUAL = {
    "transposed": torch.randn(4, 1).t(),
    "strided": torch.rand(1, 8)[:, ::2],
    "expanded": torch.ones(1, 1).expand(1, 4),
    "requires grad": X.clone().requires_grad_(),
    "parameter": nn.Parameter(X.clone()),
    "negative view": torch._neg_view(X),
    "imaginary part": torch.view_as_complex(torch.rand(1, 4, 2)).imag,
    "offset": torch.rand(9)[3:7].view(1, 4),
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_tensor_is_right(model, net, case):
    x = UNUSUAL[case]
    torch.testing.assert_close(net(x, Y), model(x, Y).detach())


ARRAYS = {
    "Fortran order": np.asfortranarray(X.numpy()),
    "negative stride": X.numpy()[:, ::-1],
    "other byte order": X.numpy().astype(">f4"),
    "read-only": np.broadcast_to(np.float32(2), (1, 4)),
    "misaligned": np.frombuffer(b"?" + X.numpy().tobytes(), "f4", 4, 1).reshape(1, 4),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_unusual_array_is_right(model, net, case):
    x = ARRAYS[case]
    expected = model(torch.tensor(x.astype("f4").copy()), Y).detach().numpy()
    np.testing.assert_allclose(net(x, Y.numpy()), expected, rtol=1e-5)


def test_keywords(model, net):
    torch.testing.assert_close(net(y=Y, x=X), model(X, Y).detach())


def test_results_are_independent(model, net):
    first = net(X, Y)
    kept = first.clone()
    net(2 * X, Y)
    assert torch.equal(first, kept)


def test_changing_a_result_changes_no_input_and_no_later_result(net):
    given = -X
    net(given, Y).add_(5)
    assert torch.equal(given, -X)
    assert torch.equal(net(given, Y), -X)


def test_later_training_changes_nothing():
    torch.manual_seed(0)
    model = Net().eval()
    net = dycl.compile(model, (X, Y))
    before = net(X, Y)
    with torch.no_grad():
        model.linear.weight.zero_()
    assert torch.equal(net(X, Y), before)
    assert not torch.equal(dycl.compile(model, (X, Y))(X, Y), before)


def test_threads_have_their_own_results_and_paths(model, net):
    wrong = []

    def work(value):
        x = torch.full((1, 4), value)
        expected = model(x, Y).detach()
        for _ in range(200):
            same = torch.allclose(net(x, Y), expected)
            if not same or [d.taken for d in net.path] != [value > 0]:
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(v,)) for v in (1.0, -1.0, 2.0, -3.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("example", "given", "words"),
    [
        (2.0, True, "`k` is of type bool"),
        (2.0, "a", "`k` is of type str"),
        (2, 3.5, "`k` is of type float"),
        (2, True, "`k` is of type bool"),
        (2, 2**70, "does not fit in 64 bits"),
        (2.0, 10**400, "`k` does not fit in a float"),
    ],
)
def test_wrong_number_is_a_sentence(example, given, words):
    net = dycl.compile(Scaled().eval(), (X, example))
    assert torch.equal(net(X, 3), X * 3)
    assert torch.equal(net(X, 1), X)
    with pytest.raises(InputError, match=words):
        net(X, given)


@pytest.mark.parametrize(
    ("made", "inputs", "words"),
    [
        (Net, (X, Y), "Net is a class, not a model"),
        (3, (X,), "int is not a model"),
        (Scaled().eval(), X, "given as a tuple"),
        (Scaled().eval(), (X, {1}), "the input `k` is a set"),
        (Scaled().eval(), (X, 1j), "the input `k` is a complex"),
        (Scaled().eval(), (X.to(torch.complex64), 1), "dtype complex64"),
    ],
)
def test_compiling_nonsense_is_a_type_error(made, inputs, words):
    with pytest.raises(TypeError, match=words):
        dycl.compile(made, inputs)
