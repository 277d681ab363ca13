"""What a run raises of sizes that do not fit is what eager raises."""

import re
from pathlib import Path

import pytest
import torch

import dycl


class AtPlaces(torch.nn.Module):
    def forward(self, x, mask):
        left = mask.nonzero()[:, 0]
        return x[left]


def raised(function, given):
    try:
        return None, function(*given)
    except Exception as error:
        return type(error), None


@pytest.mark.parametrize("host", ["native", "python"])
def test_an_index_into_no_rows_is_an_index_error(host):
    model, n = AtPlaces().eval(), dycl.Dim("n")
    x, mask = torch.randn(4, 3), torch.tensor([True, False, True, True, False])
    shapes = {"x": {0: n}, "mask": {}}
    net = dycl.compile(model, (x, mask), dynamic_shapes=shapes, host=host)
    ends = set()
    for rows in 0, 1, 2, 4:
        for some in mask, ~mask, mask & False, mask | True:
            given = torch.randn(rows, 3), some
            wanted, result = raised(model, given)
            ours, found = raised(net, given)
            assert ours is wanted, (rows, some)
            ends.add(wanted)
            if wanted is None:
                torch.testing.assert_close(found, result)
    assert ends == {None, IndexError}


class Sum(torch.nn.Module):
    def forward(self, x, mask):
        left = x[mask]
        right = x[x[:, 0] > 0]
        return left + right


class Steps(torch.nn.Module):
    def forward(self, x, mask):
        y = x
        while y.sum() > 30:
            y = torch.cat([y, y])
        return y + x[mask]


class Zeros(torch.nn.Module):
    def forward(self, x, mask):
        return x.new_zeros(int(x.sum())) + mask[0]


class Complex(torch.nn.Module):
    def forward(self, x, mask):
        part = x[mask]
        return torch.complex(part, x).real


HERE = Path(__file__).name
LINES = Path(__file__).read_text().splitlines()


def line_of(text):
    return f"({HERE}:{1 + next(n for n, line in enumerate(LINES) if text in line)})"


SAID = {
    Sum: (
        f"data-dependent sizes do not fit {line_of('return left + right')}: `a` must be"
        f" `b`, where `a` is a size in `x[mask]` {line_of('left = x[mask]')} and `b` is"
        f" a size in `x[x[:, 0] > 0]` {line_of('right = x[x')}"
    ),
    Steps: (
        f"data-dependent sizes do not fit {line_of('return y + x[mask]')}: `a` must be"
        f" `b`, where `a` is a size made at {line_of('while y.sum()')[1:-1]} and `b`"
        f" is a size in `x[mask]` {line_of('return y + x[mask]')}"
    ),
    Zeros: (
        f"a size is below zero {line_of('int(x.sum())')}: `a` must be at least 0, where"
        f" `a` is a number in `int(x.sum())` {line_of('int(x.sum())')}"
    ),
    Complex: (
        f"data-dependent sizes do not fit {line_of('torch.complex(part')}: `n` must be"
        f" `a`, where `a` is a size in `x[mask]` {line_of('part = x[mask]')}"
    ),
}


@pytest.mark.parametrize("kind", SAID, ids=lambda kind: kind.__name__)
def test_the_line_and_the_sizes_are_said(kind):
    model, n = kind().eval(), dycl.Dim("n", min=2)
    x, mask = -torch.ones(4, 3), torch.tensor([True, False, True, True])
    fits, shapes = (x.abs(), mask | True), {"x": {0: n}, "mask": {0: n}}
    net = dycl.compile(model, fits, dynamic_shapes=shapes)
    torch.testing.assert_close(net(*fits), model(*fits))
    with pytest.raises(RuntimeError):
        model(x, mask)
    with pytest.raises(RuntimeError, match=f"^{re.escape(SAID[kind])}$"):
        net(x, mask)


class Places(torch.nn.Module):
    def forward(self, x, k, mask):
        left, right = torch.arange(4)[k > 0], torch.arange(4)[mask]
        if k[0] > 0:
            return x[left, right]
        return x.index_copy(0, left, x[right])


@pytest.mark.parametrize("first", [1, 0])
def test_numbers_of_places_that_differ_are_errors_of_an_index(first):
    model, x, k = Places().eval(), torch.ones(4, 4), torch.tensor([first, 1, 1, 0])
    mask = torch.tensor([bool(first), True, True, False])
    net = dycl.compile(model, (x, k, mask))
    assert net(x, k, mask).equal(model(x, k, mask))
    with pytest.raises(IndexError):
        model(x, k, ~mask | True)
    said = "data-dependent sizes do not fit .*: `a` must be `b`, where `a` is a size"
    with pytest.raises(IndexError, match=said):
        net(x, k, ~mask | True)


class StoresAtPlaces(torch.nn.Module):
    def forward(self, x, v):
        y = x.clone()
        y[(x > 0).nonzero().flatten()] = v[v > 0]
        return y


@pytest.mark.parametrize("x", [[-1.0, -2.0, -1.0], [1.0, 1.0, 1.0], [-1.0, 1.0, -1.0]])
def test_what_does_not_fit_places_names_no_sizes_of_other_calls(x):
    model, v = StoresAtPlaces().eval(), torch.tensor([5.0, 7.0])
    net = dycl.compile(model, (torch.tensor([1.0, -1.0, 2.0]), v))
    with pytest.raises(RuntimeError, match="shape mismatch"):
        model(torch.tensor(x), v)
    with pytest.raises(RuntimeError) as caught:
        net(torch.tensor(x), v)
    assert (
        str(caught.value) == "shape mismatch: what is stored does not fit the indices"
    )
