"""Rows that choose parts of tensors, and compute with numbers of the host."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dycl
from dycl.passes import regroup_rows
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.tools.same import value_difference


class Mixture(nn.Module):
    """The chosen expert's result is weighed by its share, as experts are written."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 3)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.scales = nn.Parameter(torch.rand(3, 8))

    def forward(self, x):
        p = self.gate(x).softmax(-1)
        k = int(p.argmax())
        y = self.experts[k](x) * p[0, k] + self.scales[k] - p[:, k - 1]
        return y if y.sum() > 0 else y * -k


class Numbers(nn.Module):
    """Floats of Python, beside counters and constants of the other kind."""

    def forward(self, x):
        a, b = x.max().item(), float(x.min())
        c, n = -(a + b * 0.5) - 1, 0
        while c < 3 and n < 20:
            c = c + a * a / 10 + 0.1
            n += 1
            if c > n:
                c -= 0.5
        return x / (c * c + 1), c, n


class Counts(nn.Module):
    """Ints beside tensors of ints and of floats."""

    def forward(self, x, i):
        n = int((x > 0).sum())
        y = i * n - n
        if n > 3:
            return y, x.sum(-1) / n, x == n, i.sum() - n
        return y + n, x.sum(-1) * n, x < n, i.sum() + n


class Written(nn.Module):
    """Parts that are written to, turned around, and spread."""

    def forward(self, x):
        y = torch.zeros(2, 6)
        y[0] = x[0]
        k = int(x.argmin())
        y[1, k] = x[0, k]
        if x.std() > 1:
            y[1, 2:4] = x[0, :2]
        y[:, ::2] *= 2
        return y.t() @ y, x.var(-1)


class Choices(nn.Module):
    """`where` between tensors, constants and numbers of the host."""

    def forward(self, x):
        m, n = x.mean().item(), int((x > 0).sum())
        y = torch.where(x > m, m * 0.5, x) + torch.where(x > 0, 1.5, -m)
        if y.sum() > 0:
            return torch.where(y > 0, y, 0.0), torch.where(x > 0, n, 7)
        return torch.where(x.max() > 1, x.max(), 0.5) * y, torch.where(y > 0, 1, 2)


class Fills(nn.Module):
    """One element in the place of others: of the row, or of all rows."""

    def __init__(self):
        super().__init__()
        self.known = nn.Parameter(torch.tensor(0.7))

    def forward(self, x):
        y = x.clone()
        if x.sum() > 0:
            y[:, 1:3] = x.max()
            y = y.masked_fill(x > 0.5, x.mean())
        else:
            y[:, 3:] = 2.0
            y[:, 0] = self.known
        z = torch.zeros(1, 4).fill_(x.amin())
        return y.masked_fill(x == 0, self.known), z


class Norms(nn.Module):
    """Norms by the root of squares, and edges of a number."""

    def __init__(self):
        super().__init__()
        self.norm, self.pad = nn.RMSNorm(6), nn.ConstantPad1d((1, 2), 0.5)
        self.norm.weight.data = torch.rand(6)

    def forward(self, x):
        y = self.norm(x)
        z = F.pad(x[0], (2, 0), value=-1.0)
        if y.sum() > 0:
            return self.pad(y), z, F.pad(y[:, None], (0, 1, 1, 0))
        return self.pad(x), z * 2, F.pad(x[:, None], (0, 1, 1, 0))


class Alike(nn.Module):
    """As large as another tensor, whichever of the two differs from row to row."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(6))

    def forward(self, x):
        pair = torch.cat([x, x * 2])
        if x.sum() > 0:
            return self.scale.expand_as(pair), x.expand_as(pair)
        return -self.scale.expand_as(pair), x.max().expand_as(pair)


class Shifts(nn.Module):
    """Bits of ints."""

    def forward(self, x, i):
        if x.sum() > 0:
            return i << 2, (i & 7) << (i & 3)
        return i >> 1, i >> (i & 3)


def floats(*sizes):
    return lambda n: torch.randn(n, *sizes) * torch.rand(n, *[1 for _ in sizes]) * 3


CASES = {
    Mixture: (floats(8),),
    Numbers: (floats(8),),
    Counts: (floats(6), lambda n: torch.randint(-9, 9, (n, 4))),
    Written: (floats(6),),
    Choices: (floats(6),),
    Fills: (floats(6),),
    Norms: (floats(6),),
    Alike: (floats(6),),
    Shifts: (floats(6), lambda n: torch.randint(-9, 9, (n, 4))),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_groups_give_each_row_what_eager_gives(case):
    torch.manual_seed(3)
    model, makes = case().eval(), CASES[case]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regroup_rows, "row_numbers", lambda *_, **__: RowNumbers(0, 4096))
        example = tuple(make(1) for make in makes)
        net = dycl.compile(model, example, rows=True, cache=False)
    assert net.rows.is_grouped
    paths = set()
    for count in (1, 2, 30):
        given = [make(count) for make in makes]
        given[0][0] = 0.0
        if case is not Mixture and count > 2:
            given[0][1] = torch.nan
        parts = net.rows.split(net(*given), count)
        paths |= {tuple(d.taken for d in path) for path in net.paths}
        for row, part in enumerate(parts):
            with torch.no_grad():
                wanted = model(*(x[row : row + 1] for x in given))
            assert value_difference(part, wanted, 1e-4) is None
    assert len(paths) > 1


class Beyond(nn.Module):
    """A place that may not be there: such a row raises, as in eager."""

    def forward(self, x):
        k = int(x[0].argmax())
        return x[0, k + 2] if x[0, 0] < 1 else x[0, k - 5]


def test_a_place_out_of_range_raises_what_eager_raises():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regroup_rows, "row_numbers", lambda *_, **__: RowNumbers(0, 4096))
        net = dycl.compile(
            Beyond().eval(), (torch.zeros(1, 5),), rows=True, cache=False
        )
    assert net.rows.is_grouped
    x = torch.eye(5)
    wanted = [Beyond()(x[row : row + 1]) for row in (0, 1, 2)]
    assert net(x[:3]) == wanted
    for row in (3, 4):
        with pytest.raises(IndexError) as said:
            Beyond()(x[row : row + 1])
        with pytest.raises(IndexError) as found:
            net(x[[0, row]])
        assert str(found.value) == str(said.value)
