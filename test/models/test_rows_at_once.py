"""Rows that native code runs one after the other: each as a call with it alone."""

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.passes import regroup_rows
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.runtime import InputError
from dycl.runtime.row_runs import RowRuns


class Several(nn.Module):
    """Inputs with rows and without; values of each kind, and long paths."""

    def forward(self, x, k, w, scale):
        n, y = 0, x
        while y.abs().sum() > scale:
            y = y @ w
            n += 1
        if n > 3:
            y = -y
        both = torch.cat([y, x * scale])
        return {"y": y, "more": [both, k + 1, 7], "n": n, "odd": bool(n % 2)}, y.sum()


def given(count, seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 4, generator=generator)
    k = torch.randint(0, 9, (count,), generator=generator)
    return x * torch.rand(count, 1, generator=generator) * 9, k, torch.eye(4) * 0.9, 0.5


@pytest.fixture(scope="module")
def nets():
    example = given(1)
    model = Several().eval()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regroup_rows, "row_numbers", lambda *_, **__: RowNumbers(99, 2))
        rows = {"x": 0, "k": 0}
        many = dycl.compile(model, example, rows=rows, cache=False)
        shared = dycl.compile(model, example, rows=rows, threads=2, cache=False)
    return model, dycl.compile(model, example), many, shared


@pytest.fixture
def runs(monkeypatch):
    """How often native code was told to run rows, and how often it did."""
    found = []
    run = RowRuns.run

    def counted(self, *arguments):
        ran = run(self, *arguments)
        found.append(ran is not None)
        return ran

    monkeypatch.setattr(RowRuns, "run", counted)
    return found


def equal(found, wanted):
    assert type(found) is type(wanted)
    if isinstance(wanted, dict):
        assert [*found] == [*wanted]
        found, wanted = [*found.values()], [*wanted.values()]
    if isinstance(wanted, (tuple, list)):
        for one, other in zip(found, wanted, strict=True):
            equal(one, other)
    elif isinstance(wanted, (torch.Tensor, np.ndarray)):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))
    else:
        assert found == wanted


@pytest.mark.parametrize("count", [2, 3, 40])
def test_values_and_paths_are_those_of_calls_with_one_row(nets, runs, count):
    model, alone, many, shared = nets
    for seed in range(3):
        x, k, *others = given(count, seed)
        x[0], k[-1] = torch.nan, -1
        wanted, paths = [], []
        for row in range(count):
            one = x[row : row + 1], k[row : row + 1], *others
            wanted.append(alone(*one))
            paths.append(alone.path)
            ours, eager = wanted[-1], model(*one)
            torch.testing.assert_close(ours[0]["y"], eager[0]["y"], equal_nan=True)
            assert ours[0]["n"] == eager[0]["n"]
        lengths = [len(path) for path in paths]
        assert max(lengths) > 20
        assert min(lengths) == 2
        for net in (many, shared):
            result = net(x, k, *others)
            for row, part in enumerate(net.rows.split(result, count)):
                equal(part, wanted[row])
            assert net.paths == tuple(paths)
            assert net.path == paths[-1]
            numpy = net(x.numpy(), k.numpy(), others[0].numpy(), others[1])
            for row, part in enumerate(net.rows.split(numpy, count)):
                equal(part[1], wanted[row][1].numpy())
            assert net.paths == tuple(paths)
    assert any(runs)


def test_what_lies_otherwise_or_does_not_fit(nets, runs):
    _, _, many, _ = nets
    x, k, w, scale = given(5)
    wanted = many(x, k, w, scale)
    assert runs.pop()
    equal(many(x.t().contiguous().t(), k, w, scale), wanted)
    assert not any(runs)
    x = torch.cat([x, x])
    equal(many(x[:5], k, w, scale), wanted)
    with pytest.raises(InputError, match="`k` has 5 rows, and `x` has 10"):
        many(x, k, w, scale)
    with pytest.raises(InputError):
        many(x[:5].double(), k, w, scale)
    with pytest.raises(InputError):
        many(x[:5], k, w[:3], scale)


class Raising(nn.Module):
    def forward(self, x):
        if x.sum() > 9:
            raise ValueError("too large")
        return x + 1 if x[0, 0] > 0 else x - 1


def test_the_first_row_that_raises_ends_a_call(runs):
    net = dycl.compile(Raising().eval(), (torch.zeros(1, 3),), rows=True)
    x = torch.tensor([[1.0, 2, 3], [4, 5, 6], [-1, 0, 1], [7, 8, 9]])
    with pytest.raises(ValueError, match="too large"):
        net(x)
    assert net.paths == ()
    assert net.path == ()
    equal(net(x[::2].contiguous()), torch.tensor([[2.0, 3, 4], [-2, -1, 0]]))
    assert runs[-1]
