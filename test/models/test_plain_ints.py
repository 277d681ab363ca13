"""Ints of the call that no shape depends on: numbers like others, beside tensors of
dynamic sizes and of fixed ones. None is taken for a size, which is not below zero."""

import pytest
import torch
import torch.nn.functional as F

import dycl

INTS = (4, 2, 1, 0, -1, -3, -7)


class Factors(torch.nn.Module):
    def forward(self, x, n: int):
        index = torch.tensor([1])
        sums = torch.rsub(x, x, alpha=n), x.index_add(0, index, x[:1], alpha=n)
        products = torch.addcmul(x, x, x, value=n), torch.addcdiv(x, x, x + 9, value=n)
        return sums, products, torch.norm(x, n)


class Floats(torch.nn.Module):
    """Arguments of which torch makes floats."""

    def forward(self, x, n: int):
        filled = torch.nan_to_num(x / 0, nan=n, posinf=n, neginf=n)
        powers = torch.float_power(x.abs() + 1, n), torch.float_power(n, x)
        return filled, powers, F.pad(x, (1, 1), value=n)


class Made(torch.nn.Module):
    def forward(self, x, n: int):
        row = torch.linspace(n, n + 1, 5), torch.linspace(0, n, steps=x.size(0))
        return row, torch.histc(x, 4, n, n + 4), torch.full((x.size(0),), n)


class Exponential(torch.nn.Module):
    def forward(self, x, n: int):
        return F.celu(x, n)


class Bins(torch.nn.Module):
    def forward(self, x, low: int, high: int):
        return torch.histc(x, 3, low, high)


def rows(*elements):
    return torch.tensor(elements, dtype=torch.float32)


@pytest.mark.parametrize("is_dynamic", [True, False])
@pytest.mark.parametrize("model", [Factors(), Floats(), Made(), Exponential()])
def test_equals_eager(model, is_dynamic):
    sizes = {"x": {0: dycl.Dim("k", min=2, max=9)}, "n": None} if is_dynamic else None
    model.eval()
    net = dycl.compile(model, (rows(1.5, -2.0, 3.0), 4), dynamic_shapes=sizes)
    others = [rows(0.5, 2.0, -1.0, 4.0)] if is_dynamic else []
    for x in (rows(1.5, -2.0, 3.0), rows(0, 1, -1), *others):
        for n in INTS:
            try:
                wanted = model(x, n)
            except RuntimeError as error:
                with pytest.raises(RuntimeError, match=str(error)):
                    net(x, n)
            else:
                torch.testing.assert_close(net(x, n), wanted, equal_nan=True)


def test_bins_of_equal_and_turned_ends():
    net = dycl.compile(Bins().eval(), (rows(1.5, -2.0, 3.0), 0, 4))
    for low, high in ((-2, 2), (3, 3), (0, 0), (2, -2)):
        for x in (rows(1.5, -2.0, 3.0), rows(1.0, 1.0, 1.0)):
            if low > high:
                with pytest.raises(RuntimeError, match="max must be larger than min"):
                    net(x, low, high)
            else:
                assert net(x, low, high).equal(Bins()(x, low, high))
