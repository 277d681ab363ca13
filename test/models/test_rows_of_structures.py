"""Rows of arguments by keyword and with a structure, and results that have one."""

import asyncio
from dataclasses import dataclass
from typing import NamedTuple

import pytest
import torch
from programs import frameworks
from torch import nn

import dycl
from dycl.diag import CompileErrors
from dycl.passes import regroup_rows
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.runtime import InputError
from dycl.serve import Batcher, Sessions
from dycl.tools.same import value_difference


@dataclass
class Batch:
    ids: torch.Tensor
    mask: torch.Tensor


class Point(NamedTuple):
    x: torch.Tensor
    where: int


@dataclass
class Output:
    logits: torch.Tensor
    steps: int
    hidden: object = None


class Encoder(nn.Module):
    """Two inputs in a structure, and an exit."""

    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(9, 8), nn.Linear(8, 3)

    def embedded(self, ids, mask):
        x = self.table(ids) * mask[..., None]
        h = x.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        steps = 0
        if h[0, 0] > 0:
            h = torch.tanh(h)
            steps += 1
        return h, steps


class OfDict(Encoder):
    def forward(self, batch, scale=1.0):
        h, steps = self.embedded(batch["ids"], batch["mask"])
        return Output(self.head(h) * scale, steps)


class OfKeywords(Encoder):
    def forward(self, ids=None, *, mask=None, mode="mean"):
        h, steps = self.embedded(ids, mask)
        return {1: self.head(h), "mode": mode, None: steps}


class OfRecord(Encoder):
    def forward(self, batch, *, table):
        h, steps = self.embedded(batch.ids, batch.mask)
        return Point(h @ table, steps), [h, None]


class OfNested(Encoder):
    def forward(self, pair):
        (ids,), rest = pair
        h, steps = self.embedded(ids, rest[0]["mask"])
        return frameworks.Output(logits=self.head(h), hidden=h[0] * steps)


def row(ids, mask):
    return {"ids": ids, "mask": mask}


CASES = {
    OfDict: (lambda i, m: (({"ids": i, "mask": m},), {}), {"batch": 0}),
    OfKeywords: (lambda i, m: ((), {"ids": i, "mask": m}), True),
    OfRecord: (
        lambda i, m: ((Batch(i, m),), {"table": torch.eye(8)[:, :2] * 3}),
        {"batch": 0},
    ),
    OfNested: (
        lambda i, m: ((((i,), [{"mask": m}]),), {}),
        {"pair[0]": 0, "pair[1]": 0},
    ),
}


def data(count):
    ids = torch.randint(0, 9, (count, 5))
    mask = (torch.rand(count, 5) > 0.3).float()
    mask[:1] = 0  # an even sum: 0 is exactly where the decision lies
    return ids, mask


@pytest.fixture(scope="module", params=CASES, ids=lambda c: c.__name__)
def case(request):
    torch.manual_seed(1)
    model = request.param().eval()
    make, rows = CASES[request.param]
    args, kwargs = make(*data(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regroup_rows, "row_numbers", lambda *_, **__: RowNumbers(2, 4096))
        net = dycl.compile(model, args, kwargs=kwargs, rows=rows, cache=False)
    return model, net, make


def eager(model, make, ids, mask):
    results = []
    with torch.no_grad():
        for k in range(len(ids)):
            args, kwargs = make(ids[k : k + 1], mask[k : k + 1])
            results.append(model(*args, **kwargs))
    return results


def of_rows(model, results):
    """What eager's results are together."""
    if isinstance(model, OfDict):
        return Output(
            torch.cat([one.logits for one in results]), [one.steps for one in results]
        )
    if isinstance(model, OfKeywords):
        logits = torch.cat([one[1] for one in results])
        return {1: logits, "mode": "mean", None: [one[None] for one in results]}
    if isinstance(model, OfRecord):
        points = [one[0] for one in results]
        x, where = torch.cat([p.x for p in points]), [p.where for p in points]
        return Point(x, where), [torch.cat([one[1][0] for one in results]), None]
    logits = torch.cat([one.logits for one in results])
    return frameworks.Output(logits=logits, hidden=[one.hidden for one in results])


@pytest.mark.parametrize("count", [1, 2, 3, 20])
def test_results_are_those_of_eager_together(case, count):
    model, net, make = case
    assert net.rows.is_grouped
    ids, mask = data(count)
    args, kwargs = make(ids, mask)
    wanted = eager(model, make, ids, mask)
    found = net(*args, **kwargs)
    assert value_difference(of_rows(model, wanted), found, 1e-5) is None
    for one, part in zip(wanted, net.rows.split(found, count), strict=True):
        assert value_difference(one, part, 1e-5) is None
    assert len(net.paths) == count


def test_both_sides_are_taken(case):
    _, net, make = case
    args, kwargs = make(*data(40))
    net(*args, **kwargs)
    assert {d.taken for path in net.paths for d in path} == {True, False}


def test_the_python_host_and_a_saved_network_say_the_same(case, tmp_path):
    model, net, make = case
    ids, mask = data(9)
    args, kwargs = make(ids, mask)
    wanted = of_rows(model, eager(model, make, ids, mask))
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    for other in (net.with_python_host(), loaded):
        for few in (9, 1):
            part = make(ids[:few], mask[:few])
            found = other(*part[0], **part[1])
            wanted = of_rows(model, eager(model, make, ids[:few], mask[:few]))
            assert value_difference(wanted, found, 1e-5) is None
    assert value_difference(loaded(*args, **kwargs), net(*args, **kwargs), 0) is None


def test_no_rows(case):
    model, net, make = case
    args, kwargs = make(*data(0))
    found = net(*args, **kwargs)
    if isinstance(model, OfDict):
        assert found.logits.shape == (0, 3)
        assert found.steps == []
    assert net.paths == ()


def test_what_does_not_fit_is_named(case):
    model, net, make = case
    ids, mask = data(3)
    if not isinstance(model, OfNested):
        args, kwargs = make(ids, mask[:2])
        with pytest.raises(InputError, match=r"mask.* has 2 rows, and .*ids.* has 3"):
            net(*args, **kwargs)
    args, kwargs = make(ids, mask[:, :4])
    with pytest.raises(InputError, match="mask"):
        net(*args, **kwargs)
    with pytest.raises(InputError):
        net(torch.zeros(3))
    assert net.paths == ()


def test_check_compares_each_row(case):
    model, net, make = case
    args, kwargs = make(*data(4))
    checked = dycl.check(net, model, args, kwargs=kwargs)
    assert checked.ok, str(checked)
    assert len(checked.calls) == 4


def test_a_batcher_takes_such_rows(case):
    model, net, make = case
    if len(net.rows.form["inputs"]) < len(net.inputs):
        with pytest.raises(TypeError, match="same for all rows"):
            Batcher(net)
        return
    ids, mask = data(12)

    async def main():
        async with Batcher(net, max_delay=0.05) as batcher:
            given = [make(ids[k : k + 1], mask[k : k + 1]) for k in range(12)]
            return await asyncio.gather(
                *(batcher(*args, **kwargs) for args, kwargs in given)
            )

    for one, found in zip(
        eager(model, make, ids, mask), asyncio.run(main()), strict=True
    ):
        assert value_difference(one, found, 1e-5) is None


def test_threads_share_such_rows():
    model = OfDict().eval()
    make, rows = CASES[OfDict]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regroup_rows, "row_numbers", lambda *_, **__: RowNumbers(4, 2))
        net = dycl.compile(model, make(*data(1))[0], rows=rows, threads=2, cache=False)
    for count in (4, 40):
        ids, mask = data(count)
        wanted = of_rows(model, eager(model, make, ids, mask))
        assert value_difference(wanted, net(make(ids, mask)[0][0]), 1e-5) is None


def test_rows_that_are_named_wrongly():
    model, (ids, mask) = OfDict().eval(), data(1)
    given = ({"ids": ids, "mask": mask, "scale": 2.0},)
    for rows, error, words in [
        ({"x": 0}, TypeError, "`x`, which is no input"),
        ({"batch['scale']": 0}, ValueError, "first size of 1"),
        ({"batch": 1}, ValueError, "dimension 0"),
        ({"batch": None}, ValueError, "no input has rows"),
        ({"bat": 0}, TypeError, "`bat`, which is no input"),
    ]:
        with pytest.raises(error, match=words):
            dycl.compile(model, given, rows=rows)
    model, given = OfNested().eval(), (((ids,), [{"mask": mask.new_zeros(2, 5)}]),)
    with pytest.raises(ValueError, match=r"`pair\[1\]\[0\]\['mask'\]` is to have rows"):
        dycl.compile(model, given, rows=True)


class Fills(nn.Module):
    def forward(self, batch, *, seen):
        if batch["x"].sum() > 0:
            seen.append(1)
        return batch["x"]


def test_a_list_that_rows_share_is_not_changed():
    given, x = {"seen": [3]}, torch.zeros(1, 4)
    assert (
        dycl.compile(Fills().eval(), ({"x": x},), kwargs=given)({"x": x}, seen=[3])[
            0
        ].tolist()
        == [0.0] * 4
    )
    with pytest.raises(CompileErrors, match="list that is an input.*rows share"):
        dycl.compile(Fills().eval(), ({"x": x},), kwargs=given, rows=True)


class Writes(nn.Module):
    def forward(self, batch):
        if batch["x"].sum() > 0:
            batch["x"].mul_(2)
        return batch["x"] + 1


def test_tensors_in_a_structure_are_written_to():
    net = dycl.compile(Writes().eval(), ({"x": torch.zeros(1, 3)},), rows=True)
    x = torch.randn(6, 3)
    mine, written = x.clone(), x.clone()
    wanted = torch.cat([Writes()({"x": written[k : k + 1]}) for k in range(6)])
    torch.testing.assert_close(net({"x": mine}), wanted)
    assert torch.equal(mine, written)


class Carries(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 8)

    def forward(self, batch, state=None):
        h = self.cell(batch["x"], state["h"])
        return Output(h[:, :2] if h.sum() > 0 else -h[:, :2], 1), h


def test_sessions_of_rows_with_a_structure():
    torch.manual_seed(0)
    model, zeros = Carries().eval(), torch.zeros(1, 8)
    example = ({"x": torch.zeros(1, 4)},)
    net = dycl.compile(model, example, kwargs={"state": {"h": zeros}}, rows=True)
    sessions = Sessions(net, {"state['h']": 1}, {"state['h']": zeros})
    left = dict.fromkeys(range(5), zeros)
    for _ in range(3):
        x = torch.randn(5, 4)
        found = sessions(range(5), {"x": x})
        for key, (output, h) in enumerate(found):
            with torch.no_grad():
                wanted = model({"x": x[key : key + 1]}, {"h": left[key]})
            assert value_difference(wanted, (output, h), 1e-5) is None
            left[key] = wanted[1]
    with pytest.raises(InputError, match="state"):
        sessions([1], {"x": x[:1]}, state={"h": zeros})
    inner = dycl.compile(
        Inside().eval(), ({"x": torch.zeros(1, 8), "h": zeros},), rows=True
    )
    with pytest.raises(TypeError, match=r"`batch` is more than `batch\['h'\]`"):
        Sessions(inner, {"batch['h']": 1}, {"batch['h']": zeros})


class Inside(nn.Module):
    def forward(self, batch):
        return batch["x"], batch["x"] + batch["h"]
