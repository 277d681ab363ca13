"""Calls whose shapes hang on sizes of a run, equal to eager at every size."""

import math

import pytest
import torch

import dycl
from dycl.diag import CompileErrors
from dycl.runtime import InputError
from tools.size_sweep.comparing import same_at_every_size

ONE = torch.arange(24.0).reshape(1, 2, 4, 3) / 10
OTHER = torch.arange(24.0).reshape(1, 2, 3, 4)


def many_by_one(x):
    """Of no batches there are no products."""
    return x @ ONE, OTHER @ x.transpose(2, 3)


def heads_by_one(x):
    """Both a batch and a length of the run."""
    scores = x.transpose(1, 2) @ ONE[:, :, :, :1]
    return torch.cat([scores, x.new_zeros(x.size(0), 2, x.size(1), 2)], -1)


def steps(x):
    """As anchors are written: the step is a size as well."""
    n, m = x.shape
    rows = torch.arange(0, m * n, step=n, dtype=torch.float32)
    return rows, torch.arange(0, m, n), torch.arange(n, n + m, 2)


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (many_by_one, ("n", 2, 3, 4)),
        (many_by_one, ("n", 2, "n", 4)),
        (heads_by_one, ("n", "n", 2, 4)),
    ],
)
def test_products(function, shape):
    same_at_every_size(function, shape)


def test_steps():
    """A step of 0 is an error, so there is a row at least."""
    sizes = ({0: dycl.Dim("n", min=1, max=40), 1: dycl.Dim("m", max=40)},)
    net = dycl.compile(steps, (torch.ones(5, 7),), dynamic_shapes=sizes)
    for run in (net, net.with_python_host()):
        for n, m in ((2, 3), (7, 2), (1, 1), (1, 9), (3, 0), (40, 40), (5, 11)):
            x = torch.ones(n, m)
            assert list(map(torch.equal, run(x), steps(x))) == [True] * 3


@pytest.mark.parametrize("host", ["native", "python"])
def test_steps_that_the_data_decide(host):
    model = RangeOfData().eval()
    net = dycl.compile(model, (torch.tensor([7, 2]),), host=host)
    for end, step in ((7, 2), (2, 7), (9, 3), (0, 1), (6, 5)):
        x = torch.tensor([end, step])
        assert torch.equal(net(x), model(x))


class RangeOfData(torch.nn.Module):
    def forward(self, x):
        return torch.arange(0, x[0].item(), x[1].item())


def ranges_of_floats(x):
    """Bounds that are floats, each of them a whole number."""
    n = x.size(0)
    return (
        *(torch.arange(0.0, n), torch.arange(0.0, n, 2), torch.arange(-3, float(n))),
        *(torch.arange(1, n + 1.0), torch.arange(0, 2.0 * n + 1, 3.0)),
        torch.arange(1.0, n + 1, dtype=torch.int64),
    )


def ranges_from_sizes(x):
    n = x.size(0)
    given = (torch.int32, torch.float32, torch.float64)
    return [torch.arange(n, 3 * n, 2, dtype=dtype) for dtype in given]


@pytest.mark.parametrize("function", [ranges_of_floats, ranges_from_sizes])
def test_ranges(function):
    same_at_every_size(function, ("n", 3))


def parts_of_a_dim(x):
    """One dim becomes several: it alone says whether that fits."""
    return x.unflatten(0, (-1, 2)), torch.unflatten(x, dim=0, sizes=(2, -1)).sum(0)


def parts_that_are_sizes(x):
    n = x.size(0)
    return (
        x.unflatten(0, (1, n)),
        x.unflatten(sizes=(n, 1), dim=-3),
        x.unflatten(2, (2, -1)),
    )


@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (parts_of_a_dim, ("n", 3)),
        (parts_of_a_dim, ("n", "n")),
        (parts_that_are_sizes, ("n", 0, 4)),
    ],
)
def test_a_dim_of_several(function, shape):
    same_at_every_size(function, shape)


def test_what_does_not_fit_is_told_with_its_line():
    sizes = ({0: dycl.Dim("n", max=40)},)
    net = dycl.compile(parts_of_a_dim, (torch.ones(8, 3),), dynamic_shapes=sizes)
    with pytest.raises(InputError, match=r"`n` must be .*test_open_calls.py:\d+"):
        net(torch.ones(7, 3))


class RangeOfFloat(torch.nn.Module):
    """Bounds, and a step, of two sizes."""

    def forward(self, x):
        return torch.arange(0, float(x.size(0)), x.size(1))


def test_a_range_to_a_float():
    sizes = ({0: dycl.Dim("n", max=9), 1: dycl.Dim("m", min=2, max=9)},)
    model = RangeOfFloat().eval()
    net = dycl.compile(model, (torch.ones(5, 3),), dynamic_shapes=sizes)
    for n, m in ((5, 3), (0, 2), (9, 9), (1, 4), (8, 2)):
        assert torch.equal(net(torch.ones(n, m)), model(torch.ones(n, m)))


class RangeByHalves(torch.nn.Module):
    def forward(self, x):
        return torch.arange(0, x.size(0), 0.5)


def test_a_range_by_a_fraction_is_refused():
    sizes = ({0: dycl.Dim("n", max=9)},)
    with pytest.raises(CompileErrors, match="shape or type depends on a number"):
        dycl.compile(RangeByHalves().eval(), (torch.ones(5),), dynamic_shapes=sizes)


class Waves(torch.nn.Module):
    """Two strides, and back: the inner signal is one element for many a size."""

    def __init__(self):
        super().__init__()
        down = [torch.nn.Conv1d(2, 4, 8, 4), torch.nn.Conv1d(4, 8, 8, 4)]
        up = [
            torch.nn.ConvTranspose1d(8, 4, 8, 4),
            torch.nn.ConvTranspose1d(4, 2, 8, 4),
        ]
        self.down, self.up = torch.nn.ModuleList(down), torch.nn.ModuleList(up)

    def forward(self, x):
        size, skips = x.shape[-1], []
        whole = size
        for _ in self.down:
            whole = max(math.ceil((whole - 8) / 4) + 1, 1)
        for _ in self.up:
            whole = (whole - 1) * 4 + 8
        x = torch.nn.functional.pad(x, (0, whole - size))
        for layer in self.down:
            x = torch.relu(layer(x))
            skips.append(x)
        for layer in self.up:
            x = layer(x + skips.pop()[..., : x.shape[-1]])
        return x[..., :size]


def test_a_size_that_is_one_for_some_is_not_broadcast():
    model, size = Waves().eval(), dycl.Dim("t", min=1, max=200)
    net = dycl.compile(model, (torch.ones(1, 2, 50),), dynamic_shapes=({2: size},))
    for count in (1, 2, 36, 37, 52, 53, 200):
        x = torch.randn(1, 2, count)
        torch.testing.assert_close(net(x), model(x))


@pytest.mark.parametrize("least", [9, 36, 60])
def test_a_result_of_one_for_some(least):
    model = torch.nn.Sequential(*Waves().down).eval()
    size = dycl.Dim("t", min=least, max=200)
    net = dycl.compile(model, (torch.ones(1, 2, 99),), dynamic_shapes=({2: size},))
    for count in (least, 36, 37, 51, 52, 61, 200):
        x = torch.randn(1, 2, max(count, least))
        if count < 36:
            with pytest.raises(InputError, match="must be at least 8"):
                net(x)
        else:
            torch.testing.assert_close(net(x), model(x))


class Several(torch.nn.Module):
    """Tensors of several types and ranks, in a tuple and a list."""

    def forward(self, x, i):
        if x.sum() > 0:
            return x * 2, i + 1, [x[:, 0] > 0, (x.sum(1), x.to(torch.bfloat16))]
        return x - 1, i - 1, [x[:, 0] < 0, (x.sum(1) * 3, x.to(torch.bfloat16))]


def _leaves(value):
    several = isinstance(value, tuple | list)
    return [leaf for each in value for leaf in _leaves(each)] if several else [value]


def test_tensors_of_a_run_s_size_are_the_caller_s():
    """Later calls write to none; of no elements they have strides as eager has them."""
    model, n = Several().eval(), dycl.Dim("n", max=200_000)
    example = (torch.ones(5, 3), torch.arange(5))
    net = dycl.compile(model, example, dynamic_shapes=({0: n}, {0: n}))
    wanted, found = [], []
    for size in (0, 1, 5, 100, 99_999):
        for sign in (1, -1):
            inputs = sign * torch.ones(size, 3), torch.arange(size)
            wanted += _leaves(model(*inputs))
            found += _leaves(net(*inputs))
            paths = [each.taken for each in net.path]
            assert paths == [size > 0 and sign > 0]
    assert [(x.dtype, x.stride()) for x in found] == [
        (x.dtype, x.stride()) for x in wanted
    ]
    assert all(map(torch.equal, found, wanted))
