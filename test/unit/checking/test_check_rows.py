"""`dycl.check` of a network with rows: each row against a call of the model."""

import pytest
import torch
from torch import nn

import dycl
from dycl.checking import CheckError
from dycl.runtime import InputError


class Exits(nn.Module):
    """Two ways out, and what is refused."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        if x.sum() > 1000:
            raise ValueError("too large")
        h = self.first(x)
        if h.sum() > 0:
            return h
        return self.second(h).relu()


class Counted(nn.Module):
    """A state that each row changes."""

    def __init__(self):
        super().__init__()
        self.total = torch.zeros(1, 8)

    def forward(self, x):
        self.total = self.total + x
        if self.total.sum() > 0:
            return self.total * 2
        return self.total


@pytest.fixture(scope="module")
def exits():
    torch.manual_seed(0)
    model = Exits().eval()
    return model, dycl.compile(model, (torch.zeros(1, 8),), rows=True)


@pytest.fixture
def x():
    return torch.randn(40, 8, generator=torch.Generator().manual_seed(3))


def test_each_row_is_compared(exits, x, tmp_path):
    model, net = exits
    net.save(tmp_path / "net.dycl")
    assert net.rows.is_grouped
    for one in (net, dycl.load(tmp_path / "net.dycl")):
        result = dycl.check(one, model, [(x,), (x[:1],)])
        assert result.ok, str(result)
        names = [call.name for call in result.calls]
        assert names == [*(f"call 1, row {row}" for row in range(40)), "call 2"]
        assert {call.path[-1].taken for call in result.calls} == {True, False}
        assert all(call.margins and call.launches for call in result.calls)


def test_a_row_that_a_group_gets_wrong_is_told(exits, x, monkeypatch):
    model, net = exits
    split = net.rows.split

    def wrong(result, count):
        rows = split(result, count)
        return rows if count == 1 else [*rows[:2], rows[2] + 0.1, *rows[3:]]

    monkeypatch.setattr(net.rows, "split", wrong)
    result = dycl.check(net, model, (x[:33],))
    assert [call.name for call in result.calls if not call.ok] == ["row 2"]
    assert "row 2\nvalues    differ" in str(result)
    assert result.to_json()["calls"][2]["name"] == "row 2"
    assert result.drift is None


def test_what_a_row_raises(exits, x):
    model, net = exits
    x[5] = 1e4
    result = dycl.check(net, model, (x,))
    assert result.ok, str(result)
    raised = {call.name: call.raised for call in result.calls if call.raised[0]}
    assert raised == {"row 5": ("ValueError", "ValueError")}


def test_rows_change_a_state_in_their_order(x):
    model = Counted().eval()
    net = dycl.compile(model, (torch.zeros(1, 8),), rows=True)
    result = dycl.check(net, model, [(x[:7],), (x[7:8],)])
    assert result.ok, str(result)
    assert {call.path[0].taken for call in result.calls} == {True, False}
    assert not net.state["total"].any()


def test_what_is_no_row_is_refused(exits, x):
    model, net = exits
    with pytest.raises(CheckError, match="there is no row to compare"):
        dycl.check(net, model, (x[:0],))
    with pytest.raises(InputError, match=r"\[40, 7\].* float32\[rows, 8\]"):
        dycl.check(net, model, (x[:, :7],))
