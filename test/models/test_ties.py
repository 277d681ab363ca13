"""Equal elements and NaN: `topk` and its like pick those that eager picks."""

import math

import pytest
import torch
from torch import nn

import dycl

KINDS = (torch.float32, torch.float64, torch.int32, torch.int8)


class Top(nn.Module):
    def __init__(self, k, **how):
        super().__init__()
        self.k, self.how = k, how

    def forward(self, x):
        values, indices = x.topk(self.k, **self.how)
        if indices.flatten()[0] % 2 == 0:
            return values, indices
        return indices, values


class Kth(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        values, index = x.kthvalue(self.k)
        if index[0] % 2 == 0:
            return values, index
        first, place = x.kthvalue(1, dim=0, keepdim=True)
        return first, place


class Third(nn.Module):
    def forward(self, x):
        values, index = x.kthvalue(3)
        if index[0] % 2 == 0:
            return values, index
        return index, values


class Routed(nn.Module):
    """Two of eight experts, which weigh what the gate says."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 8, bias=False)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(8))

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2)
        rows = []
        for row in range(x.shape[0]):
            first, second = chosen[row, 0], chosen[row, 1]
            found = weights[row, 0] * self.experts[int(first)](x[row])
            rows.append(found + weights[row, 1] * self.experts[int(second)](x[row]))
        return torch.stack(rows), chosen


class Orders(nn.Module):
    def forward(self, x):
        order = x.sort(stable=True, descending=True)
        found = x.argmax(-1), x.argmin(-1), x.max(-1).indices, x.min(0).indices
        if x[0, 0] > 0:
            return order.values, order.indices, *found
        return order.indices, order.values, *found


def rows(count, size, dtype):
    """Rows of few different numbers, which tie; all the same; NaN among them."""
    generator = torch.Generator().manual_seed(size)
    shape = count, size
    few = torch.randint(-2, 3, shape, generator=generator)
    many = torch.randint(-60, 60, shape, generator=generator)
    found = [few, few.clamp(0, 1), many, torch.zeros(shape), torch.ones(shape)]
    if dtype.is_floating_point:
        gone = few.double().masked_fill(many > 30, math.nan)
        found += [gone, gone * -0.0, torch.full(shape, math.nan)]
    found.append(torch.arange(size).expand(shape))
    return [x.to(dtype) for x in found]


def same(found, wanted):
    torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)


def check(model, inputs):
    """Equal to eager; whether both sides of all decisions were taken."""
    net, taken = dycl.compile(model.eval(), (inputs[0],)), set()
    with torch.no_grad():
        for x in inputs:
            same(net(x), model(x))
            taken |= {(d.name, d.taken) for d in net.path}
    return taken == {(name, side) for name, *_ in net.decisions for side in (0, 1)}


@pytest.mark.parametrize("dtype", KINDS, ids=str)
@pytest.mark.parametrize(
    ("size", "k"), [(8, 2), (8, 8), (40, 30), (128, 2), (300, 100), (1, 1)]
)
def test_topk_takes_what_eager_takes(size, k, dtype):
    took_both = check(Top(k), rows(3, size, dtype))
    assert took_both or size == 1


@pytest.mark.parametrize("k", [2, 20, 1])
def test_the_smallest_and_those_out_of_order(k):
    inputs = rows(5, 64, torch.float32)
    assert check(Top(k, largest=False), inputs)
    assert check(Top(k, sorted=False), inputs)
    assert check(Top(k, largest=False, sorted=False), inputs)


@pytest.mark.parametrize("k", [1, 2, 9, 20])
def test_kthvalue_takes_what_eager_takes(k):
    for dtype in (torch.float32, torch.int64):
        inputs = [x.roll(i, 1) for x in rows(3, 20, dtype) for i in range(4)]
        assert check(Kth(k), inputs)


def test_along_any_dimension():
    inputs = [x.view(8, 3, 2) for x in rows(6, 8, torch.float32)]
    assert check(Top(3, dim=0), inputs)
    assert check(Top(2, dim=1), inputs)


@pytest.mark.parametrize(
    ("model", "shape", "free"),
    [
        (Top(3), (-1, 24), {0}),
        (Top(20, dim=0, largest=False), (24, -1), {1}),
        (Top(2, dim=1, sorted=False), (-1, 8, 3), {0, 2}),
        (Third(), (-1, 24), {0}),
    ],
    ids=["topk", "along-rows", "in-the-middle", "kthvalue"],
)
def test_any_number_of_rows(model, shape, free):
    inputs = [x.reshape(shape) for x in rows(3, 24, torch.float32)]
    sizes = {dim: dycl.Dim(f"n{dim}") for dim in free}
    net = dycl.compile(model.eval(), (inputs[0],), dynamic_shapes={"x": sizes})
    for x in inputs:
        same(net(x), model(x))
        more = torch.cat([x, x.roll(1, min(free)), x], min(free))
        same(net(more), model(more))


@pytest.mark.parametrize(
    ("model", "least", "dim"),
    [
        (Top(2), 2, 1),
        (Top(20, largest=False), 20, 1),
        (Top(3, dim=0), 3, 0),
        (Top(4, sorted=False), 4, 1),
        (Third(), 3, 1),
    ],
    ids=["topk", "many", "along-rows", "in-no-order", "kthvalue"],
)
def test_rows_of_any_size(model, least, dim):
    """Of 64 times as many elements as are asked for, eager makes a heap."""
    example = rows(3, 40, torch.float32)[0]
    example = example if dim else example.t().contiguous()
    sizes = {dim: dycl.Dim("n", min=least)}
    net = dycl.compile(model.eval(), (example,), dynamic_shapes={"x": sizes})
    for size in (least, least + 1, 24, 127, 128, 64 * least):
        for x in rows(3, size, torch.float32):
            given = x if dim else x.t().contiguous()
            same(net(given), model(given))


class AsMany(nn.Module):
    """As many as the input says, or as there are."""

    def __init__(self, dim=0, **how):
        super().__init__()
        self.dim, self.how = dim, how

    def forward(self, x, k):
        count = min(int(k), x.shape[self.dim])
        return (*x.topk(count, self.dim, **self.how),)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=str)
@pytest.mark.parametrize("how", [{}, {"largest": False}, {"sorted": False}], ids=str)
def test_as_many_as_the_input_decides(dtype, how):
    """None, one, few, a heap and parts that are sorted in parts, with ties and NaN."""
    model, sizes = AsMany(**how).eval(), {0: dycl.Dim("n", max=300)}
    given = torch.ones(40, dtype=dtype), torch.tensor(3)
    net = dycl.compile(model, given, dynamic_shapes=(sizes, None))
    for size in (0, 1, 17, 64, 300):
        for x in rows(1, size, dtype) if size else [torch.zeros(1, 0, dtype=dtype)]:
            for k in (0, 1, 2, 4, 5, 17, 18, 60, 300):
                inputs = x.reshape(-1), torch.tensor(k)
                same(net(*inputs), model(*inputs))


def test_as_many_of_each_row_as_the_input_decides():
    model = AsMany(dim=1).eval()
    net = dycl.compile(model, (torch.ones(3, 24), torch.tensor(3)))
    for x in rows(3, 24, torch.float32):
        for k in (0, 1, 20, 24):
            same(net(x, torch.tensor(k)), model(x, torch.tensor(k)))


class Positive(nn.Module):
    """The largest of as many elements as the input decides."""

    def forward(self, x):
        return (*x[x > 0].topk(2),)


def test_rows_of_a_size_that_the_input_decides():
    net = dycl.compile(Positive().eval(), (torch.ones(8),))
    for x in (
        torch.ones(8),
        torch.tensor([1, 0, 1, 1, 0, 1, 2, 1.0]),
        torch.ones(8).roll(1),
    ):
        same(net(x), Positive()(x))
    with pytest.raises(RuntimeError, match="not in range"):
        net(torch.tensor([0, 1.0, 0, 0, 0, 0, 0, 0]))


def test_a_row_that_parts_badly():
    """Eager goes over to a heap where its pivots are bad too often."""
    size = 256
    # The median of three of these is next to the smallest, again and again.
    killer = torch.zeros(size)
    for i in range(size // 2):
        killer[i] = i + 1 if i % 2 == 0 else size // 2 + i + (size // 2) % 2
        killer[size // 2 + i] = 2 * (i + 1)
    inputs = [killer[None], -killer[None], killer.flip(0)[None], killer.roll(1)[None]]
    for k in (128, 200, 20):
        assert check(Top(k), inputs)


def test_a_batch_of_zeros_goes_to_the_experts_that_eager_asks():
    torch.manual_seed(0)
    model = Routed().eval()
    inputs = torch.zeros(3, 4), torch.randn(3, 4), torch.randn(3, 4)
    net = dycl.compile(model, (inputs[0],))
    with torch.no_grad():
        for x in inputs:
            (found, experts), (wanted, eager) = net(x), model(x)
            same(experts, eager)
            torch.testing.assert_close(found, wanted)
    assert net(inputs[0])[1].tolist() == [[6, 5]] * 3
    assert net.path


def test_orders_and_extremes():
    inputs = rows(3, 40, torch.float32)
    assert check(Orders(), inputs)
