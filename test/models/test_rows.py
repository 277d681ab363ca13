"""Networks called with many rows: each row gets what a call with it alone gets."""

import functools

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.diag import collect_remarks
from dycl.driver import row_inputs
from dycl.passes import regroup_rows
from dycl.passes.rows import gains
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.runtime import InputError


class Exits(nn.Module):
    def __init__(self):
        super().__init__()
        self.small, self.large = nn.Linear(8, 5), nn.Linear(8, 5)

    def forward(self, x):
        p = self.small(x).softmax(-1)
        if p.max() > 0.4:
            return p
        y = self.large(x)
        if y[0, 0] > 0:
            return y.softmax(-1)
        return torch.relu(y)


class Skips(nn.Module):
    """Blocks that are skipped, convolutions, and one decision inside another."""

    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.block, self.gate = nn.Conv2d(4, 4, 3, padding=1), nn.Linear(4, 1)
        self.head = nn.Linear(4, 3)
        self.gate.weight.data.copy_(torch.tensor([[3.0, -3.0, 3.0, -3.0]]))
        self.gate.bias.data.zero_()

    def forward(self, x):
        x = torch.relu(self.norm(self.stem(x)))
        for _ in range(2):
            g = self.gate(x.mean((2, 3)))
            if g > -0.1:
                x = x + self.block(x)
                if g < 0.1:
                    x = x * 2
        return self.head(x.flatten(2).max(-1).values)


class Halts(nn.Module):
    """A loop that each row leaves when it likes, on two ways; `m` stays outside."""

    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(8, 8)

    def forward(self, x):
        m = x * 0.5
        n = 0
        while x.sum() > -1.0:
            x = torch.tanh(self.cell(x)) + m
            n += 1
            if n > 6:
                break
            if x.max() > 1.5:
                continue
            x = x - 0.1
        return x + m, n


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 5)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(5))

    def forward(self, x):
        chosen = int(self.gate(x).argmax())
        return {"y": self.experts[chosen](x), "expert": chosen}


class Scopes(nn.Module):
    """Returns inside a function that is called: rows meet behind it."""

    def scaled(self, x):
        if x.max() > 1.0:
            return x * 2
        if x.min() < -1.0:
            return x * 3
        return x

    def forward(self, x):
        y = self.scaled(x)
        y = self.scaled(y - 0.5)
        return y + x


class Shapes(nn.Module):
    """Results of different shapes: a list."""

    def forward(self, x):
        if x.sum() > 0:
            return x[:, :4], 1.0
        return x


class Constants(nn.Module):
    """Truths that are numbers of the host on one side; numbers that all rows return."""

    def forward(self, x):
        first, second = bool(x[0, 0] > 0), bool(x[0, 1] > 0)
        if first and not second:
            return x, second, 5, None
        return -x, first, 5, None


class Tokens(nn.Module):
    """Text in, attention, and an exit."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, ids):
        x = self.table(ids)
        y = self.head(x[:, 0])
        if y.max() > 0.5:
            return y
        return self.head(self.layer(x)[:, 0])


class LoopsInSides(nn.Module):
    """Loops, early returns and `any` inside the sides of decisions: rows leave them in
    another order than they came."""

    def halved(self, x):
        if x.sum() > 3:
            return x * 0.5
        if x[0, 1] > 0.5:
            return x - 1
        return x * 3

    def forward(self, x):
        y = x
        if x.mean() > 0.2:
            y = self.halved(x)
        else:
            while y.sum() < 1:
                y = y + 0.4
        if x[0, 0] > 0.5:
            x = x * 2
        elif any(t.sum() > 0 for t in (x, y - 0.3)):
            x = x - 1
        return x * 2 + y


class Printing(nn.Module):
    """Not for many rows at once: it has an effect."""

    def forward(self, x):
        if x.sum() > 0:
            print("positive")
            return x
        return -x


def normal(*sizes):
    """Rows of normal numbers, some small and some large."""
    ones = [1 for _ in sizes]
    return lambda n: torch.randn(n, *sizes) * torch.rand(n, *ones) * 3


CASES = {
    Exits: normal(8),
    Skips: normal(2, 6, 6),
    Halts: normal(8),
    Experts: normal(8),
    Scopes: normal(8),
    Shapes: normal(8),
    Constants: normal(8),
    Tokens: lambda n: torch.randint(0, 20, (n, 6)),
    LoopsInSides: normal(4),
    Printing: normal(8),
}


def leaves(value):
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def of_row(result, row):
    """What a result has for one row; a list has an item for each."""
    if isinstance(result, dict):
        return {key: of_row(item, row) for key, item in result.items()}
    if isinstance(result, tuple):
        return tuple(of_row(item, row) for item in result)
    if result is None:
        return None
    return result[row] if isinstance(result, list) else result[row : row + 1]


def agree(found, wanted):
    assert type(found) is type(wanted)
    for one, other in zip(leaves(found), leaves(wanted), strict=True):
        if isinstance(other, torch.Tensor):
            assert one.shape == other.shape
            assert one.dtype == other.dtype
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5, equal_nan=True)
        else:
            assert type(one) is type(other)
            assert one == other


@pytest.fixture(scope="module", params=CASES, ids=lambda c: c.__name__)
def case(request):
    torch.manual_seed(3)
    model, make = request.param().eval(), CASES[request.param]
    with collect_remarks() as remarks, pytest.MonkeyPatch.context() as patch:
        # Convolutions, which are slower for many rows, are right for them too.
        patch.setattr(gains, "IN_GROUP", 0.0)
        # So few rows as well come in groups here; `test_few_rows` has them alone.
        patch.setattr(regroup_rows, "row_numbers", lambda *_, **__: RowNumbers(0, 4096))
        rows = dycl.compile(model, (make(1),), rows=True, cache=False)
    whys = [r for r in remarks if r.what == "run row by row"]
    return model, rows, dycl.compile(model, (make(1),)), make, whys


def test_only_effects_are_left_to_a_run_row_by_row(case):
    model, rows, _, _, whys = case
    is_printing = isinstance(model, Printing)
    assert rows.rows.is_grouped == (not is_printing)
    assert [r.why for r in whys] == ["it has an effect, which each row would have"] * (
        is_printing
    )


def test_each_row_is_what_a_call_gives(case):
    model, rows, single, make, _ = case
    torch.manual_seed(1)
    taken = set()
    for count in (1, 2, 3, 8, 60):
        x = make(count)
        result = rows(x)
        for row in range(count):
            one = x[row : row + 1]
            single(one)
            assert rows.paths[row] == single.path
            taken |= {(d.name, d.taken) for d in single.path}
            with torch.no_grad():
                agree(of_row(result, row), model(one))
    assert {name for name, _ in taken} == {d[0] for d in single.decisions}
    assert all((name, not side) in taken for name, side in taken)


def test_a_result_is_split_into_those_of_its_rows(case):
    model, rows, _, make, _ = case
    x = make(5)
    result = rows(x)
    with torch.no_grad():
        for row, part in enumerate(rows.rows.split(result, 5)):
            agree(part, model(x[row : row + 1]))


def test_rows_that_all_go_one_way(case):
    model, rows, _, make, _ = case
    torch.manual_seed(2)
    for row in make(6):
        x = row.expand(5, *row.shape).contiguous()
        result = rows(x)
        assert len(set(rows.paths)) == 1
        with torch.no_grad():
            wanted = model(x[:1])
        for number in range(5):
            agree(of_row(result, number), wanted)


def test_no_rows(case):
    model, rows, _, make, _ = case
    result = rows(make(0))
    assert rows.paths == ()
    if isinstance(model, Shapes):
        assert result == []
        return
    with torch.no_grad():
        wanted = model(make(1))
    wanted = [leaf for leaf in leaves(wanted) if isinstance(leaf, torch.Tensor)]
    found = [leaf for leaf in leaves(result) if leaf is not None]
    for one, other in zip(found, wanted, strict=True):
        assert one.shape == (0, *other.shape[1:])
        assert one.dtype == other.dtype


def test_ties_and_nan(case):
    model, rows, single, make, _ = case
    x = make(6)
    if not x.is_floating_point():
        pytest.skip("its input has no NaN")
    x[0], x[1, ..., 0], x[2], x[3] = 0.0, torch.nan, 1.0, -1.0
    with torch.no_grad():
        result = rows(x)
        for row in range(6):
            one = x[row : row + 1]
            agree(of_row(result, row), model(one))
            single(one)
            assert rows.paths[row] == single.path


def test_the_python_host_says_the_same(case):
    _, rows, _, make, _ = case
    x = make(9)
    other = rows.with_python_host()
    agree(other(x), rows(x))
    assert other.paths == rows.paths


def test_a_saved_network_says_the_same(case, tmp_path):
    _, rows, _, make, _ = case
    x = make(9)
    rows.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    agree(loaded(x), rows(x))
    assert loaded.paths == rows.paths
    numpy = loaded(x.numpy())
    for one, other in zip(leaves(numpy), leaves(rows(x)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_inputs_that_do_not_fit(case):
    _, rows, _, make, _ = case
    with pytest.raises(InputError):
        rows(make(3)[:, :1])
    with pytest.raises(InputError):
        rows(make(0)[:, :1])
    with pytest.raises(InputError):
        rows(torch.tensor(1.0))
    with pytest.raises(InputError):
        rows()
    with pytest.raises(InputError, match="no input `out`; it takes 1 input"):
        rows(make(3), out=torch.empty(3))


class Two(nn.Module):
    def forward(self, x, y, scale):
        if x.sum() > y.sum():
            return x * scale
        return y


def test_inputs_with_and_without_rows():
    given = torch.randn(1, 4), torch.randn(1, 4), torch.randn(4)
    rows = dycl.compile(Two().eval(), given, rows={"x": 0, "y": 0})
    x, y, scale = torch.randn(6, 4), torch.randn(6, 4), torch.randn(4)
    wanted = [Two()(x[i : i + 1], y[i : i + 1], scale) for i in range(6)]
    torch.testing.assert_close(rows(x, y, scale), torch.cat(wanted))
    with pytest.raises(InputError, match="`y` has 5 rows, and `x` has 6"):
        rows(x, y[:5], scale)


class Optional(nn.Module):
    def forward(self, x, mask=None, *, scale=2.0):
        if x.sum() > 0:
            return x * scale
        return x if mask is None else x * mask


def test_arguments_that_are_left_out_have_no_rows():
    x = torch.randn(5, 4)
    wanted = [Optional()(x[i : i + 1]) for i in range(5)]
    for rows in (True, {"x": 0}):
        net = dycl.compile(Optional().eval(), (x[:1],), rows=rows)
        torch.testing.assert_close(net(x), torch.cat(wanted))
    with pytest.raises(TypeError, match="`mask`, which is no input"):
        dycl.compile(Optional().eval(), (x[:1],), rows={"mask": 0})


def halved(function):
    @functools.wraps(function)
    def run(*args, **kwargs):
        return function(*args, **kwargs) * 0.5

    return run


class Decorated(nn.Module):
    @halved
    def forward(self, x, y=None):
        return x if x.sum() > 0 else -x


def test_inputs_of_a_decorated_forward_are_called_as_its_parameters():
    x = torch.randn(5, 4)
    wanted = torch.cat([Decorated()(x[i : i + 1]) for i in range(5)])
    for rows in (True, {"x": 0}):
        net = dycl.compile(Decorated().eval(), (x[:1],), rows=rows)
        torch.testing.assert_close(net(x=x), wanted)
    sizes = {"x": {0: dycl.Dim("n", min=1, max=9)}}
    net = dycl.compile(Decorated().eval(), (x[:1],), dynamic_shapes=sizes)
    torch.testing.assert_close(net(x=x), Decorated()(x))


def test_a_check_compares_each_row_with_eager(tmp_path):
    model = Exits().eval()
    net = dycl.compile(model, (torch.randn(1, 8),), rows=True)
    net.save(tmp_path / "net.dycl")
    inputs = [(torch.randn(1, 8),) for _ in range(5)]
    for one in (net, dycl.load(tmp_path / "net.dycl")):
        found = dycl.check(one, model, inputs)
        assert found.ok
        assert len(found.calls) == 5
        assert found.margins
        assert len(dycl.check(one, model, (torch.randn(3, 8),)).calls) == 3


def test_a_path_belongs_to_a_row():
    net = dycl.compile(Two().eval(), (torch.ones(1, 4),) * 3)
    with pytest.raises(TypeError, match="not compiled with rows"):
        _ = net.paths


def test_what_has_no_rows_is_refused():
    x = torch.randn(2, 8)
    with pytest.raises(ValueError, match="an example of one row"):
        dycl.compile(Exits().eval(), (x,), rows=True)
    with pytest.raises(TypeError, match="`z`, which is no input"):
        dycl.compile(Exits().eval(), (x[:1],), rows={"z": 0})
    with pytest.raises(ValueError, match="dimension 0"):
        dycl.compile(Exits().eval(), (x[:1],), rows={"x": 1})


def test_large_batches_come_in_parts(monkeypatch):
    monkeypatch.setattr(row_inputs, "_CACHED", 128)
    model = Exits().eval()
    rows = dycl.compile(model, (torch.randn(1, 8),), rows=True)
    assert rows.rows.form["most"] == 4
    x = torch.randn(11, 8)
    with torch.no_grad():
        wanted = torch.cat([model(x[i : i + 1]) for i in range(11)])
    torch.testing.assert_close(rows(x), wanted)
    assert len(rows.paths) == 11


def test_two_compilations_are_the_same():
    texts = [
        dycl.compile(Halts().eval(), (torch.randn(1, 8),), rows=True, cache=False)
        for _ in range(2)
    ]
    first, second = texts
    assert first.host_source == second.host_source
    assert first.stages["typed"] == second.stages["typed"]
