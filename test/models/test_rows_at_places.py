"""Rows that take elements, and put them, at places that tensors say."""

import pytest
import torch
from row_groups import in_groups
from torch import nn
from torch.nn import functional as F

from dycl.tools.same import value_difference


class Takes(nn.Module):
    """Of a row, of a table and of both, by indices that are side by side or not."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.arange(48.0).reshape(4, 4, 3))
        self.register_buffer("known", torch.tensor([1, -1]))

    def forward(self, x, i):
        k, n, t = i[0], self.known, self.table
        s = x.T * x + torch.arange(4.0)
        found = [
            t[k, k.flip(0)],
            t[:, k],
            t[k[:, None], :, n],
            t.index_select(1, k % 4),
        ]
        found += [
            x[:, k],
            s[k],
            s[k, n[:, None]],
            s[:, n],
            s[n, k[:2]],
            s[k[:, None], k],
        ]
        found += [s[None].expand(2, 4, 4)[:, k, k], s.index_select(0, k[:3] % 4)]
        if x.sum() > 0:
            return found, s[k[0]], t[..., n]
        return found, s[k[1]] * 2, t[..., n] + x.sum()


class Puts(nn.Module):
    """Of equal places the last one stays, or all are added."""

    def forward(self, x, i):
        k = i[0]
        y = torch.zeros(4, 5)
        y[k] = 1.0
        y[k, 2] = x[0]
        z = y.clone()
        z[:, k[:2]] += x.T
        w = torch.zeros(2, 4, 4).index_put((k, k), x[0]) if x[0, 0] > 9 else y * 2
        if x.sum() > 0:
            return y, z.index_put((k,), torch.ones(5) * x[0, 0], accumulate=True), w
        z[torch.tensor([0, 2]), k[:2]] = x.sum()
        return y, z, w


class Scatters(nn.Module):
    """Along the row, and along the first dimension."""

    def forward(self, x, i):
        k = i % 4
        y, z = torch.zeros(1, 6).scatter(1, k, x), torch.ones(4, 4)
        if x.sum() > 0:
            y, z = y.scatter_add(1, k, x), z.scatter_add(0, k.expand(2, 4), z + x)
            return y, z, F.one_hot(k, 5)
        return y.scatter(1, k[:, :2], 2.0), z.scatter(0, k, x), F.one_hot(k, 5) * 2


class Moves(nn.Module):
    def forward(self, x, i):
        y = x.reshape(1, 2, 2).movedim(1, 2)
        if x.sum() > 0:
            return y, y.movedim(0, 2), x.reshape(2, 2).movedim(0, -1)
        return y * 2, (y + 1).movedim(2, 0).reshape(2, 2, 1), x.reshape(2, 2)


CASES = (Takes, Puts, Scatters, Moves)


def given(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 4, generator=generator)
    return x, torch.randint(-4, 4, (count, 4), generator=generator)


@pytest.fixture(scope="module")
def compiled():
    return in_groups(given(1))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_groups_give_each_row_what_eager_gives(compiled, case, backend):
    net, model, paths = compiled(case, backend), case().eval(), set()
    for count in (0, 1, 2, 30):
        x, i = given(count, count)
        if count > 2:
            x[1], i[1], i[2] = torch.nan, 3, torch.tensor([0, -1, 0, -1])
        parts = net.rows.split(net(x, i), count)
        paths |= {tuple(d.taken for d in path) for path in net.paths}
        for row, part in enumerate(parts):
            with torch.no_grad():
                wanted = model(x[row : row + 1], i[row : row + 1])
            assert value_difference(wanted, part, 1e-5) is None
    assert len(paths) > 1


@pytest.mark.parametrize("case", [Takes, Puts], ids=lambda case: case.__name__)
def test_a_place_out_of_range_raises_as_in_eager(compiled, case):
    net, (x, i) = compiled(case, "cpu"), given(3)
    i[1, 2] = 4
    with pytest.raises(IndexError) as said:
        case()(x[1:2], i[1:2])
    with pytest.raises(IndexError) as found:
        net(x, i)
    for error in (said, found):
        assert "out of bounds for dimension" in str(error.value)
