"""Rows whose ints are close to where those of tensors end, beside what rows share.

A group looks at what it computes where that may be too large. It has to do so beside an
int that the host has computed for all rows, which is as large as it gets, and a product
may be larger than its float.
"""

import math

import pytest
import torch
from torch import nn

import dycl
from dycl.passes import regroup_rows
from dycl.passes.rows.row_numbers import RowNumbers

A, B = 18520827383242522, 249
"""A product just above 2**62, and below in floats."""


class Products(nn.Module):
    """The sum of two products that fit."""

    def forward(self, x, i, n):
        a, b, c = i[0, 0].item(), i[0, 1].item(), i[0, 2].item()
        return a * b + c * b, x.sum()


class PlusShared(nn.Module):
    """A product that all rows share: up to 63 bits of the host's."""

    def forward(self, x, i, n):
        return i[0, 0].item() + n * n, x.sum()


class TimesInt(nn.Module):
    """An int of a float that all rows share, which is not small."""

    def forward(self, x, i, n):
        return i[0, 0].item() % 2**30 * int(n), x.sum()


class Negated(nn.Module):
    """An int with more bits than a float32 has."""

    def forward(self, x, i, n):
        return -i[0, 0].item() + n, x.sum()


class Finite(nn.Module):
    """Questions that have an answer for each float."""

    def forward(self, x, i, n):
        a = x.max().item()
        if math.isfinite(a):
            return math.isnan(a), math.isinf(-a), n
        return math.isnan(a), math.isinf(a), n


class OfFunctions(nn.Module):
    """Functions that have a rule, and one that has none."""

    def forward(self, x, i, n):
        a = x.max().item()
        return math.erf(a) + math.atan(a) * math.tanh(a), math.erfc(a), n


def network(model, n, backend):
    x, i = torch.ones(1, 2), torch.ones(1, 3, dtype=torch.int64)
    host = {"cpu": "native", "reference": "python"}[backend]
    options = {"rows": {"x": 0, "i": 0}, "backend": backend, "host": host}
    with pytest.MonkeyPatch.context() as patch:
        numbers = RowNumbers(0, 4096)
        patch.setattr(regroup_rows, "row_numbers", lambda *_, **__: numbers)
        return dycl.compile(model, (x, i, n), cache=False, **options)


def outcome(call):
    try:
        return call()
    except OverflowError as error:
        return str(error)


TOO_LARGE = "an int does not fit in 64 bits"
CASES = {
    Products: [
        (0, [[1, 2, 3], [A - 1, B, A - 1]]),
        (0, [[1, 2, 3], [A, B, A]]),
        (0, [[1, 2, 3], [A, B, -A], [-A, -B, 0]]),
    ],
    PlusShared: [
        (3, [[5, 0, 0], [-5, 0, 0]]),
        (3037000499, [[5, 0, 0], [4 * 10**18, 0, 0]]),
        (3037000499, [[-5, 0, 0], [-4 * 10**18, 0, 0]]),
    ],
    TimesInt: [
        (2.5, [[5, 0, 0], [-5, 0, 0]]),
        (1e15, [[5, 0, 0], [2**30 - 1, 0, 0]]),
        (-1e15, [[5, 0, 0], [-1, 0, 0]]),
    ],
    Negated: [
        (0, [[3037000501, 0, 0], [-(2**53) - 1, 0, 0]]),
        (1, [[2**61 + 1, 0, 0], [0, 0, 0], [-(2**62) + 1, 0, 0]]),
    ],
}


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_no_int_of_a_group_is_cut_off(case, backend):
    model = case().eval()
    net = network(model, CASES[case][0][0], backend)
    assert net.rows.is_grouped
    for n, ints in CASES[case]:
        i = torch.tensor(ints)
        x = torch.ones(len(ints), 2)
        wanted = [model(x[r : r + 1], i[r : r + 1], n) for r in range(len(ints))]
        found = outcome(lambda x=x, i=i, n=n: net(x, i, n))
        if max(abs(number) for number, _ in wanted) >= 2**63 and backend == "cpu":
            assert found == TOO_LARGE  # As alone: the native host says so.
        else:
            assert net.rows.split(found, len(ints)) == wanted


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_floats_that_are_no_number_are_found(backend):
    model = Finite().eval()
    net = network(model, 1, backend)
    assert net.rows.is_grouped
    x = torch.tensor([[0.0, math.nan, math.inf, -math.inf, 3e38]] * 2).T.contiguous()
    i = torch.ones(5, 3, dtype=torch.int64)
    wanted = [model(x[r : r + 1], i[r : r + 1], 1) for r in range(5)]
    assert net.rows.split(net(x, i, 1), 5) == wanted
    assert {path[0].taken for path in net.paths} == {True, False}


def test_a_function_that_has_no_rule_goes_row_by_row():
    model = OfFunctions().eval()
    net = network(model, 1, "cpu")
    assert not net.rows.is_grouped
    x, i = torch.tensor([[0.5, -1.0], [-3.0, -30.0]]), torch.ones(2, 3).long()
    found = net.rows.split(net(x, i, 1), 2)
    assert found == [model(x[r : r + 1], i[r : r + 1], 1) for r in range(2)]
