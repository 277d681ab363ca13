"""A list that a loop over it changes: the loop sees the new items, or it is refused."""

import pytest
import torch
from torch import nn

import dycl


class Reversed(nn.Module):
    def forward(self, x):
        items = [t + 1 for t in [x, x * 2]]
        for t in reversed(items):
            items[0] = x
            x = t
        return x


class Wrapped(nn.Module):
    def forward(self, x):
        items = [t + 1 for t in [x, x * 2]]
        for _, t in enumerate(reversed(items)):
            items[0] = x
            x = t
        return x


class Read(nn.Module):
    def forward(self, x):
        items = [t + 1 for t in [x, x * 2]]
        for i, t in enumerate(reversed(items)):
            x = x + items[i] * t * len(items)
        return x


class Unpacked(nn.Module):
    def forward(self, x):
        found, i = [], 0
        while i < 3 and x[0, i] > 0:
            found.append(int(x[0, i] * 4))
            i = i + 1
        return max(1, *found, i), min(*found, *found, 2), max(*found, i)


class Joined(nn.Module):
    def __init__(self, join):
        super().__init__()
        self.join = join

    def forward(self, x):
        found, i = [], 0
        while i < 3 and x[0, i] > 0:
            found.append(x * i)
            i = i + 1
        return self.join(found)


@pytest.mark.parametrize("host", ["native", "python"])
@pytest.mark.parametrize("join", [torch.cat, torch.stack])
def test_no_tensors_raise_what_eager_raises(join, host):
    model = Joined(join).eval()
    net = dycl.compile(model, (torch.ones(1, 4),), host=host)
    for x in (torch.ones(1, 4), torch.tensor([[1.0, -1.0, 0.0, 0.0]])):
        torch.testing.assert_close(net(x), model(x))
    with pytest.raises((ValueError, RuntimeError)) as wanted:
        model(-torch.ones(1, 4))
    with pytest.raises(type(wanted.value)) as found:
        net(-torch.ones(1, 4))
    assert type(found.value) is type(wanted.value)
    assert str(found.value) == str(wanted.value)


@pytest.mark.parametrize("make", [Reversed, Wrapped])
def test_a_store_in_the_loop_is_refused(make):
    with pytest.raises(dycl.CompileErrors, match="DY205"):
        dycl.compile(make().eval(), (torch.ones(1, 4),), backend="reference")


def test_reads_in_the_loop():
    model, x = Read().eval(), torch.rand(1, 4)
    net = dycl.compile(model, (x,), backend="reference", host="python")
    torch.testing.assert_close(net(x), model(x))


class StoresBeyondItsEnd(nn.Module):
    def forward(self, x):
        *items, _ = (x, x)
        if x.max() > 0:
            x = sum(items)
        else:
            items[1] = x
        return {"x": x}


def test_a_sum_that_may_be_0_beside_a_path_that_raises():
    model = StoresBeyondItsEnd().eval()
    net = dycl.compile(model, (torch.ones(1, 4),), backend="reference")
    torch.testing.assert_close(net(torch.ones(1, 4)), model(torch.ones(1, 4)))
    for run in (net, model):
        with pytest.raises(IndexError, match="list assignment index out of range"):
            run(-torch.ones(1, 4))


def test_lists_unpacked_into_min_and_max():
    model = Unpacked().eval()
    net = dycl.compile(model, (torch.ones(1, 4),), backend="reference", host="python")
    for row in ([2.0, 1, 3, 0], [0.3, 2, 0, 0], [0.3, 0, 0, 0], [3.0, 3, 3, 3]):
        x = torch.tensor([row])
        assert net(x) == model(x)
    nothing = torch.zeros(1, 4)
    with pytest.raises(TypeError) as eager:
        model(nothing)
    with pytest.raises(TypeError, match=str(eager.value)):
        net(nothing)


class Memo(nn.Module):
    def forward(self, x):
        memo = {}

        def f(n):
            if n in memo:
                return memo[n]
            memo[n] = x if n < 2 else torch.tanh(f(n - 1) + f(n - 2))
            return memo[n]

        return f(int(x.sum()))


def test_a_dict_that_a_recursion_fills():
    model = Memo().eval()
    net = dycl.compile(model, (torch.ones(1, 4),), cache=False)
    for total in (0, 1, 2, 3, 9):
        x = torch.tensor([[float(total), 0.25, 0.0, 0.0]])
        torch.testing.assert_close(net(x), model(x))
