"""Networks with rows that are run row by row, since that is faster, or right."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import collect_remarks
from dycl.runtime import InputError
from dycl.tools.same import value_difference


def line_of(text):
    """The first line of this file that has a text."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


class Gated(nn.Module):
    """A convolution, and one that rows may skip."""

    def __init__(self):
        super().__init__()
        self.stem, self.block = nn.Conv2d(2, 4, 3), nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        y = self.stem(x)
        if y.mean() > 0:
            y = y + self.block(y)
        return y


def test_convolutions_go_row_by_row():
    model = Gated().eval()
    with collect_remarks() as remarks:
        rows = dycl.compile(model, (torch.randn(1, 2, 6, 6),), rows=True)
    (why,) = [r for r in remarks if r.what == "run row by row"]
    assert why.why == "a group of rows takes longer here than each alone"
    assert why.at.line == line_of("y = self.stem(x)")
    assert not rows.rows.is_grouped
    single = dycl.compile(model, (torch.randn(1, 2, 6, 6),))
    x = torch.randn(7, 2, 6, 6)
    y = rows(x)
    for row in range(7):
        assert torch.equal(y[row : row + 1], single(x[row : row + 1]))
        assert rows.paths[row] == single.path


class Largest(nn.Module):
    def forward(self, x):
        values, places = x.topk(2, dim=-1)
        return values if places[0, 0] == 2 else -values


def test_equal_elements_are_those_that_eager_takes():
    rows = dycl.compile(Largest().eval(), (torch.randn(1, 4),), rows=True)
    x = torch.randint(0, 2, (9, 4)).float()
    x[0], x[1], x[2, 1:] = 0.0, torch.nan, 3.0
    wanted = torch.cat([Largest()(x[i : i + 1]) for i in range(9)])
    torch.testing.assert_close(rows(x), wanted, rtol=0, atol=0, equal_nan=True)
    assert not rows.rows.is_grouped


@dataclass
class Pair:
    t: object
    n: object

    def __post_init__(self):
        self.n = self.n * 2


class Returns(nn.Module):
    """Returns what `make` makes of a tensor and another."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def forward(self, x):
        return self.make(x * 2, x.mean())


@pytest.mark.parametrize(
    "make",
    [
        lambda t, n: Pair(t, n),
        lambda t, n: [{(1, 2): t}, n],
        lambda t, n: (t.shape, t),
    ],
    ids=["object", "dict", "sizes"],
)
def test_what_rows_do_not_share_comes_for_each_row(make):
    model = Returns(make).eval()
    rows = dycl.compile(model, (torch.randn(1, 4),), rows=True, backend="reference")
    x = torch.randn(3, 4)
    found = rows(x)
    assert not rows.rows.is_grouped
    assert len(found) == 3
    for row, one in enumerate(found):
        wanted = model(x[row : row + 1])
        assert value_difference(wanted, one, 1e-6) is None


class ConvAndLinear(nn.Module):
    """Convolutions, and a product of which most of the time goes into its weights."""

    def __init__(self, width):
        super().__init__()
        self.conv, self.small = nn.Conv2d(4, 4, 3), nn.Linear(4, width)
        self.large = nn.Linear(width, width)

    def forward(self, x):
        y = self.small(torch.relu(self.conv(x)).mean((2, 3)))
        return self.large(y) if y[0, 0] > 0 else y


@pytest.mark.parametrize(("width", "is_grouped"), [(4, False), (256, True)])
def test_large_products_pay_for_convolutions(width, is_grouped):
    x = torch.randn(1, 4, 8, 8)
    rows = dycl.compile(ConvAndLinear(width).eval(), (x,), rows=True)
    assert rows.rows.is_grouped == is_grouped


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x + self.calls


def test_state_is_that_of_one_model_called_again_and_again():
    net = dycl.compile(Counting().eval(), (torch.zeros(1, 2),), rows=True)
    assert not net.rows.is_grouped
    assert net(torch.zeros(3, 2)).tolist() == [[i, i] for i in (1, 2, 3)]
    assert net.state == {"calls": 3}
    assert net(torch.zeros(0, 2)).shape == (0, 2)
    assert [part.tolist() for part in net.rows.split(net(torch.zeros(1, 2)), 1)] == [
        [[4, 4]]
    ]


class Overwrites(nn.Module):
    """Changes its input; a large row raises."""

    def forward(self, x):
        if x.sum() > 0:
            x.mul_(2)
        x[:, 0] = 7
        if x.sum() > 100:
            raise ValueError("large")
        return x + 1


def test_rows_of_inputs_are_written_to_up_to_one_that_raises():
    net = dycl.compile(Overwrites().eval(), (torch.zeros(1, 3),), rows=True)
    x = torch.randn(6, 3)
    written = x.clone()
    wanted = torch.cat([Overwrites()(written[i : i + 1]) for i in range(6)])
    for given in (x, x.t().contiguous().t().clone()):
        mine = given.clone()
        torch.testing.assert_close(net(mine), wanted)
        assert torch.equal(mine, written)
    x[3] = 99.0
    before = x.clone()
    with pytest.raises(ValueError, match="large"):
        net(x)
    assert torch.equal(x, torch.cat([written[:3], before[3:]]))


class AnyLength(nn.Module):
    def forward(self, x):
        if x.size(1) > 5:
            return x.amax(1)
        return x.sum(1) if x.mean() > 0 else x.mean(1)


def test_rows_of_a_length_that_the_call_decides():
    model = AnyLength().eval()
    sizes = {"x": {1: dycl.Dim("n", min=1, max=9)}}
    net = dycl.compile(model, (torch.zeros(1, 4, 2),), rows=True, dynamic_shapes=sizes)
    for length in (1, 5, 8):
        for count in (0, 1, 4):
            x = torch.randn(count, length, 2)
            found = net(x)
            assert len(net.paths) == count
            assert found.shape == (count, 2)
            for row, part in enumerate(net.rows.split(found, count)):
                assert value_difference(model(x[row : row + 1]), part, 1e-6) is None
    with pytest.raises(InputError, match=r"x.*\[0, 4, 3\]"):
        net(torch.zeros(0, 4, 3))
    sizes = {"x": {0: dycl.Dim("n", min=1, max=9)}}
    with pytest.raises(ValueError, match="dimension 0 of `x` has rows"):
        dycl.compile(model, (torch.zeros(1, 4, 2),), rows=True, dynamic_shapes=sizes)
