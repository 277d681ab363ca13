"""What eager raises of an op, whatever the data, is no answer of ours.

Fake tensors take some dtypes and shapes that eager's kernels do not.
"""

import pytest
import torch

import dycl
from dycl.analysis.tensors.failures import raised_by_eager
from dycl.diag import CompileErrors


def compiled(function, *inputs):
    return dycl.compile(function, inputs, host="python", cache=False)


def dtypes_without_a_kernel(x, bits, index):
    return (
        bits.topk(1)[0],
        bits.argmax(),
        bits.median(),
        bits.cumsum(0, dtype=torch.bool),
        bits.scatter_reduce(0, index, bits, "mean"),
    )


def shapes_that_fake_tensors_take(x, bits, index):
    return (
        torch.bucketize(x, x.view(1, -1)),
        torch.index_add(x.view(-1, 1), 0, index, x),
    )


@pytest.mark.parametrize(
    ("function", "count"),
    [(dtypes_without_a_kernel, 5), (shapes_that_fake_tensors_take, 2)],
)
def test_each_line_is_refused(function, count):
    x, index = torch.rand(3), torch.tensor([0, 2, 1])
    with pytest.raises(CompileErrors) as caught:
        compiled(function, x, x > 0.5, index)
    assert len(caught.value.errors) == count


def test_a_path_to_it_raises_where_a_run_gets_there():
    def largest(x):
        if x.sum() > 0:
            return x + 1
        return (x > 0).topk(1)[0].float()

    net = compiled(largest, torch.ones(3))
    assert torch.equal(net(torch.ones(3)), torch.full((3,), 2.0))
    with pytest.raises(RuntimeError, match="topk does not support bool"):
        net(-torch.ones(3))


def test_what_only_some_elements_raise_is_taken():
    def repeated(x, counts):
        return torch.repeat_interleave(x, counts, output_size=4)

    x, counts = torch.rand(3), torch.tensor([1, 0, 3])
    assert torch.equal(compiled(repeated, x, counts)(x, counts), repeated(x, counts))


def test_it_draws_nothing_from_the_users_generator():
    def drawn(x):
        return x if x.sum() > 0 else torch.bernoulli(x).cummax(0)[0]

    x = torch.rand(3)
    state = torch.get_rng_state()
    compiled(drawn, x)
    assert torch.equal(torch.get_rng_state(), state)


def test_large_operands_are_not_tried():
    class NotAsked:
        """Whatever is asked of it fails."""

    from dycl.analysis.tensors.abstract import Tensor
    from dycl.ir.dtypes import element_type_of

    large = Tensor.contiguous((1 << 20,), element_type_of(torch.float32))
    assert raised_by_eager(NotAsked(), [large], NotAsked(), []) is None


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: torch.cov(x, fweights=x[0]), "fweights to have integral dtype"),
        (lambda x: torch.bincount(x[0]), "counts ints"),
        (lambda x: torch.fft.rfft(x.half()).real, "Unsupported dtype Half"),
        (lambda x: torch.fft.fftn(x, dim=(0, -2)).real, "dims must be unique"),
        (lambda x: torch.complex(x, x.double()).real, "one dtype of floats"),
        (lambda x: torch.tensor_split(x, x[0])[0], "dtype of long"),
        (lambda x: x[:1].as_strided((4, 2), (2, 1)), "that are not the tensor's"),
        (lambda x: x[1:].as_strided((2, 2), (1, 1), 0), "this may be a view"),
        (lambda x: x[x > 0].stride(0), "how a tensor lies in memory"),
        (lambda x: x[x[:, 0] > 0].t().is_contiguous(), "how a tensor lies in memory"),
    ],
)
def test_what_is_written_in_python_is_as_strict(function, words):
    with pytest.raises(CompileErrors, match=words):
        compiled(function, torch.rand(4, 3))


def test_a_variance_of_ints_raises():
    def loss(x, variance):
        return torch.nn.functional.gaussian_nll_loss(x, x, variance)

    with pytest.raises(CompileErrors, match="result type Float can't be cast"):
        compiled(loss, torch.ones(3), torch.ones(3, dtype=torch.int64))
