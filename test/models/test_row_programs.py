"""Programs of one row, called with many: values, order, prints and errors of a loop.

Each is called with 0 to 31 rows, in groups where it has them, and compared with eager
that is called for one row after the other.
"""

import copy

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import collect_remarks
from dycl.passes import regroup_rows
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.tools.same import value_difference

COUNTS = (0, 1, 2, 3, 8, 31)
GROUPED = ""
"""Instead of a reason to go row by row."""


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)


class Exits(Layers):
    def forward(self, x):
        for i in range(4):
            x = torch.tanh(self.a(x)) + 0.3 * x
            if x[0, i] > 0.5:
                return self.head(x)
            if x.sum() < -1:
                if x.min() < -1:
                    return self.head(-x)
                x = self.b(x)
        return self.head(x) * 0


class NestedIfs(Layers):
    def forward(self, x):
        if x[0, 0] > 0:
            if x[0, 1] > 0:
                y = self.a(x) if x[0, 2] > 0 else x
                z = y + 1
            elif x[0, 2] > 0:
                y = z = self.b(x)
            else:
                y, z = x * 2, x
        else:
            y, z = -x, x - 1
            if x[0, 3] > 0:
                z = self.a(z)
        return y + z, z


class TripCounts(Layers):
    def forward(self, x):
        n, h = 0, torch.zeros_like(x)
        while n < 7:
            h = torch.tanh(self.a(x) + self.b(h))
            n += 1
            if h.mean() > 0.1:
                break
            k = 0
            while k < 3:
                x = x * 0.9 + h * 0.1
                k += 1
                if x[0, k] > 0.2:
                    break
        return h, n


class LoopsInBranches(Layers):
    def forward(self, x):
        if x.mean() > 0:
            while x.sum() > 1:
                x = x * 0.5
                if x[0, 0] > x[0, 1]:
                    continue
                x = x - 0.05
        elif x[0, 0] > 0:
            for _ in range(3):
                x = self.a(x)
                if x.max() > 1:
                    break
            else:
                x = x + 10
        return x


class Breaks(Layers):
    def forward(self, x):
        y = torch.zeros(1, 3)
        for i in range(4):
            if x[0, i] > 1.5:
                break
            if x[0, i] < 0:
                continue
            y = y + self.head(x) * (i + 1)
            for j in range(2):
                if x[0, j] + x[0, i] > 2:
                    continue
                if y[0, 0] > 3:
                    break
                y = y + 0.1
            else:
                y = y * 1.1
        else:
            y = y - 5
        return y


class CountsOfAll(Layers):
    """Numbers that rows have in common in a loop, and no more behind it."""

    def forward(self, x):
        n, m, u = 0, 5, self.a.bias.abs().sum()
        while x.sum() < 6:
            x = x + 1
            n += 1
            m = m - 1 if n % 2 == 0 else m
            u = u * 0.5
            if n > 3:
                m = 100
                break
        return x, n, m, u


class Collected(Layers):
    """A list as long as a row decides."""

    def forward(self, x):
        kept = []
        for i in range(4):
            x = torch.tanh(self.a(x))
            if x[0, i] > 0:
                kept.append(x.sum())
        if not kept:
            return x.sum(), 0
        return torch.stack(kept).max(), len(kept)


class Lists(Layers):
    """A list is returned, on each way one of another length."""

    def forward(self, x):
        out = []
        for i in range(3):
            x = torch.tanh(self.a(x)) + 0.2 * x
            out.append(self.head(x))
            if x[0, i] > 0.4:
                break
        return out


class Experts(Layers):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))

    def forward(self, x):
        chosen = int(self.head(x).argmax())
        return {"y": self.experts[chosen](x), "expert": chosen}


class State(Layers):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.register_buffer("mean", torch.zeros(1, 6))

    def forward(self, x):
        self.calls += 1
        if x.sum() > 0:
            self.mean = self.mean * 0.5 + x
        return self.a(x) + self.mean, self.calls


class Prints(Layers):
    def forward(self, x):
        n = 0
        while x.abs().sum() > 1 and n < 3:
            print("step", n)
            x = x * 0.6
            n += 1
        if x[0, 0] > 0:
            print("positive")
        return x


class Structures(Layers):
    def forward(self, x):
        if x[0, 0] > 0.5:
            return {"y": x, "n": 1}
        if x[0, 0] > 0:
            return x, self.head(x)
        if x[0, 1] > 0:
            return [x[:, :2], None, "text"]
        return self.head(x)


class Tries(Layers):
    def scaled(self, x):
        if x[0, 0] > 1.0:
            raise KeyError("scaled")
        return x * 2 if x[0, 1] > 0 else x

    def forward(self, x):
        y, n = x, 0
        for i in range(3):
            try:
                y = self.scaled(y)
                if y[0, i] > 0.5:
                    raise ValueError("large")
                n += 1
            except KeyError:
                y = y - 2
            except ValueError:
                if x[0, 5] > 0:
                    break
                y = -y
            finally:
                y = y + 0.1
        return y, n


class Raises(Layers):
    """Some rows raise: in a side of a decision, in a loop, and in a function."""

    def checked(self, x):
        if x[0, 2] > 2.5:
            raise AssertionError("too large")
        return self.a(x)

    def forward(self, x):
        if x[0, 0] > 0:
            if x[0, 1] > 1.5:
                raise KeyError("side")
            y = self.checked(x)
        else:
            y = x
            while y.sum() < 2:
                y = y + 0.5
                if y.max() > 3.5:
                    raise ValueError("loop")
        return y + x


class Bound(Layers):
    """Names that have a value in those rows that read them."""

    def forward(self, x):
        p, q = x[0, 0] > 0, x.sum().item()
        if p:
            y, n = self.a(x), 3
        if q > 1:
            z = x.max()
        x = x + 1
        if p:
            x = x * n + y
        if x[0, 1] > 0 and (most := x.amax()) > 1.5:
            x = x - most
        return x + z if q > 1 else x


class Recursion(Layers):
    def halved(self, x):
        if x.abs().sum() < 1:
            return x
        return self.halved(x * 0.5) + 1

    def forward(self, x):
        return self.halved(x)


PROGRAMS = {
    **dict.fromkeys((Exits, NestedIfs, TripCounts, LoopsInBranches, Breaks), GROUPED),
    **dict.fromkeys((CountsOfAll, Lists, Experts, Structures, Tries, Raises), GROUPED),
    Bound: GROUPED,
    Collected: "a value is no tensor or number",
    State: "what it keeps from call to call is one state, in the order of the rows",
    Prints: "it has an effect, which each row would have",
    Recursion: "a function that calls itself is not computed for many rows",
}


def rows_of(count, seed):
    generator = torch.Generator().manual_seed(seed)
    scale = torch.rand(count, 1, generator=generator) * 3 + 0.2
    return torch.randn(count, 6, generator=generator) * scale


def outcome(call, capsys):
    """What a call gives, or what it raises, as text; and what it prints."""
    try:
        with torch.no_grad():
            found = call()
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    return found, capsys.readouterr().out


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda c: c.__name__)
def test_many_rows_are_a_loop_over_eager(make, capsys, monkeypatch):
    torch.manual_seed(3)
    model = make().eval()
    eager, why = copy.deepcopy(model), PROGRAMS[make]
    # So few rows as well come in groups.
    monkeypatch.setattr(
        regroup_rows, "row_numbers", lambda *_, **__: RowNumbers(0, 4096)
    )
    with collect_remarks() as remarks:
        net = dycl.compile(model, (torch.ones(1, 6),), rows=True, cache=False)
    reasons = [r.why for r in remarks if r.what == "run row by row"]
    assert reasons == [why] * (why != GROUPED)
    assert net.rows.is_grouped == (why == GROUPED)
    capsys.readouterr()
    paths, raised = set(), set()
    for count in COUNTS:
        for seed in range(2):
            x = rows_of(count, seed)
            one_by_one = outcome(lambda x=x: [eager(row[None]) for row in x], capsys)
            found = outcome(lambda x=x: net(x), capsys)
            assert found[1] == one_by_one[1]
            if isinstance(one_by_one[0], str):
                raised.add(one_by_one[0])
                assert found[0] == one_by_one[0]
                continue
            parts = net.rows.split(found[0], count)
            assert len(parts) == len(net.paths) == count
            for part, wanted in zip(parts, one_by_one[0], strict=True):
                assert value_difference(wanted, part, 1e-4) is None
            paths |= set(net.paths)
    assert len(paths) >= 2
    assert bool(raised) == (make is Raises)
