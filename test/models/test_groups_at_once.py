"""Groups that native code runs alone: values, paths, errors."""

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.passes import regroup_rows
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.runtime.rows import Rows


class Several(nn.Module):
    """Values of each kind, on one way out; a row of large numbers raises."""

    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.Linear(6, 6), nn.Linear(6, 3)

    def forward(self, x, k, w):
        if x.max() > 50:
            raise ValueError("large")
        y = torch.relu(self.layer(x))
        steps = 0
        while y.sum() > 1 and steps < 5:
            y = y @ w
            steps += 1
        if y.max() > 0.3:
            y = y - 0.25
        return {"y": self.head(y), "more": [k + 1, 7, y.sum()], "bool": y[0, 0] > 0}


def given(count):
    generator = torch.Generator().manual_seed(count)
    x = torch.randn(count, 6, generator=generator) * 2
    k = torch.randint(0, 9, (count,), generator=generator)
    return x, k, torch.eye(6) * 0.8


@pytest.fixture(scope="module")
def nets():
    """The model, and it compiled: threads share eight rows and more."""
    torch.manual_seed(0)
    model = Several().eval().requires_grad_(False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regroup_rows, "row_numbers", lambda *_, **__: RowNumbers(1, 8))
        rows = {"x": 0, "k": 0}
        net = dycl.compile(model, given(1), rows=rows, threads=2, cache=False)
    assert net.rows.is_grouped
    return model, net


@pytest.fixture
def native_only(monkeypatch):
    """Groups do not go through Python."""

    group = Rows._group

    def noted(self, *arguments):
        assert self._net.host == "python"
        return group(self, *arguments)

    monkeypatch.setattr(Rows, "_group", noted)


@pytest.mark.parametrize("count", [2, 3, 7, 64])
def test_groups_are_what_eager_gives(nets, native_only, count):
    model, net = nets
    x, k, w = given(count)
    x[count // 2] = torch.nan
    wanted = [model(x[i : i + 1], k[i : i + 1], w) for i in range(count)]
    ends = []
    for arguments in ((x, k, w), (x.numpy(), k.numpy(), w.numpy())):
        result = net(*arguments)
        assert result["more"][1] == [7] * count
        for i, row in enumerate(net.rows.split(result, count)):
            for one, other in zip(
                [row["y"], row["more"][0], row["more"][2], row["bool"]],
                [wanted[i]["y"], *wanted[i]["more"][::2], wanted[i]["bool"]],
                strict=True,
            ):
                np.testing.assert_allclose(
                    np.asarray(one), np.asarray(other), rtol=1e-5, atol=1e-6
                )
        ends.append(net.paths)
    assert ends[0] == ends[1]
    assert len(net.paths) == count
    assert net.path
    for i in range(count):
        net.rows.single(x[i : i + 1], k[i : i + 1], w)
        assert ends[0][i] == net.rows.single.path
    assert count == 2 or len(set(ends[0])) > 1


@pytest.mark.parametrize("count", [3, 9])
def test_a_group_that_raises_raises_what_the_first_row_does(nets, count):
    _, net = nets
    x, k, w = given(count)
    before = net(x, k, w)
    assert net.paths
    bad = x.clone()
    bad[count - 2] = 51
    with pytest.raises(ValueError, match="large"):
        net(bad, k, w)
    assert net.paths == ()
    assert torch.equal(net(x, k, w)["y"], before["y"])
