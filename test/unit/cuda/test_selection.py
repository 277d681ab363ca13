"""`topk` and `kthvalue` on the PTX machine: eager's values and places, ties too.

PTX for both architectures is run: no tensor core has a part in it. Each case has rows
that are tied where it matters, and rows that are not, so that both ways are taken.
"""

import re

import pytest
import torch
from test_templates import ints, mixed, nans, run, text_of
from torch import nn

import dycl
from dycl.kernels.cuda.building import tiles_of
from dycl.runtime.cuda import driver

pytest.importorskip("triton")
from fake_driver import FakeDriver

from dycl.kernels.cuda.ptx import compiled


def tied(rows, columns, most):
    generator = torch.Generator().manual_seed(columns)
    return torch.randint(most, (rows, columns), generator=generator).float()


def many(columns, rows=2):
    """Rows of few different numbers, and of many, and one of zeros."""
    return torch.cat(
        [tied(rows, columns, 5), mixed(rows, columns), torch.zeros(1, columns)]
    )


def killer(size):
    """A row of which the median of three is always bad: partitions give up."""
    half = size // 2
    row = [0] * size
    for i in range(1, half + 1):
        if i % 2:
            row[i - 1], row[i] = i, half + i
        row[half + i - 1] = 2 * i
    return torch.tensor(row).float()[None]


def topk(k, dim=-1, largest=True, is_sorted=True):
    return lambda x: (*torch.topk(x, k, dim, largest, is_sorted),)


def kthvalue(k, dim=-1):
    return lambda x: (*torch.kthvalue(x, k, dim),)


CASES = {
    "two-of-eight": (topk(2), many(8, 4)),
    "one": (topk(1), many(37)),
    "all": (topk(19), many(19)),
    "of-one": (topk(1), nans(3, 1)),
    "least-along-rows": (topk(3, 0, False), many(5).t().repeat(5, 1)),
    "middle-dimension": (topk(5, 1, False), nans(2, 20, 3)),
    "by-a-heap": (topk(2), many(129, 1)),
    "in-parts": (topk(30), many(61, 1)),
    "partitions-give-up": (topk(99, largest=False), killer(200)),
    "in-no-order": (topk(20, is_sorted=False), many(50, 2)),
    "integers": (topk(2), ints),
    "halves": (topk(3), many(20).half()),
    "places-alone": (lambda x: torch.topk(x, 2)[1], many(9)),
    "kth": (kthvalue(3), many(9)),
    "kth-greatest": (kthvalue(21), many(21)),
    "kth-along-rows": (kthvalue(20, 0), many(6).t().repeat(7, 1)),
}
NEWER = ("two-of-eight", "in-parts", "halves", "kth")
"""Run as PTX for 9.0, too."""


@pytest.fixture(scope="module")
def programs():
    texts = [
        text_of(re.sub(r"\W", "_", name), f, inputs)
        for name, (f, *inputs) in CASES.items()
    ]
    tiles = tiles_of("module {\n" + "\n".join(texts) + "}\n", 120)
    return dict(zip(CASES, tiles.programs, strict=True))


@pytest.mark.parametrize("architecture", [80, 90])
def test_ties_are_those_of_eager(programs, architecture) -> None:
    names = NEWER if architecture == 90 else CASES
    functions = [f for name in names for f in programs[name].functions]
    made = compiled(functions, architecture)
    known = dict(zip((f.name for f in functions), made, strict=True))
    for name in names:
        function, *inputs = CASES[name]
        expected = function(*inputs)
        if not isinstance(expected, tuple):
            expected = (expected,)
        found = run(programs[name], known, inputs)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(
                one, other, rtol=0, atol=0, equal_nan=True, msg=name
            )


class Router(nn.Module):
    """Two of four experts, in the order in which they are preferred."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 4, bias=False)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        nn.init.eye_(self.gate.weight)

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2)
        y = torch.zeros_like(x)
        for rank in range(2):
            for number in range(3):
                if chosen[0, rank] == number:
                    y = y + weights[0, rank] * self.experts[number](x)
        return y, x.median(1)[0]


def test_a_router_takes_the_experts_of_eager(library, monkeypatch) -> None:
    monkeypatch.setattr(driver, "LIBRARY", str(library))
    driver.device.cache_clear()
    gpu = FakeDriver(library)
    torch.manual_seed(0)
    model = Router().eval()
    rows = torch.tensor([[1, 1, 1, 1], [0, 2, 1, 1], [1, 0, 0, 0], [3, 2, 0, 1.0]])
    net = dycl.compile(model, (rows[:1],), backend="cuda")
    ours = dycl.compile(model, (rows[:1],))
    sides = set()
    for x in (*rows.split(1), *rows.flip(1).split(1)):
        torch.testing.assert_close(net(x), tuple(model(x)))
        ours(x)
        assert net.path == ours.path
        sides |= {(d.name, d.taken) for d in net.path}
    assert len(sides) > len(net.decisions)
    assert gpu.launches
    driver.device.cache_clear()
