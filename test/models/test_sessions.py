"""Rows of sessions that come and go: each goes on with what its last row has left."""

import asyncio
import copy

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import InputError
from dycl.serve import Batcher, Sessions


class Remembers(nn.Module):
    """A state that `forward` sets: a tensor, a number, and None at the beginning."""

    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.Linear(12, 8), nn.Linear(8, 3)
        self.register_buffer("h", torch.zeros(1, 8))
        self.calls = 0
        self.last = None

    def forward(self, x):
        if x[0, 0] > 50:
            raise ValueError("too large")
        self.h = torch.tanh(self.cell(torch.cat([x, self.h], 1)))
        self.calls += 1
        y = self.out(self.h) * self.calls
        if self.last is not None and y.sum() > 0:
            y = y + self.last
        self.last = y
        return y


class Carries(nn.Module):
    """A state that is an input, and is returned; rows take several steps."""

    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.GRUCell(4, 8), nn.Linear(8, 3)

    def forward(self, x, h):
        if x[0, 0] > 50:
            raise ValueError("too large")
        h = self.cell(x, h)
        if h.sum() > 0:
            h = self.cell(x * 0.5, h)
        return self.out(h), h


class Eager:
    """A model of its own for each session."""

    def __init__(self, model):
        self.model, self.kept = model, {}

    def __call__(self, key, x):
        if isinstance(self.model, Carries):
            h = self.kept.get(key, torch.zeros(1, 8))
            result = self.model(x, h)
            self.kept[key] = result[1]
            return result
        if key not in self.kept:
            self.kept[key] = copy.deepcopy(self.model)
        return self.kept[key](x)


@pytest.fixture(scope="module", params=[Remembers, Carries])
def case(request):
    torch.manual_seed(0)
    model = request.param().eval()
    example = (torch.zeros(1, 4), torch.zeros(1, 8))
    if request.param is Remembers:
        return model, dycl.compile(model, example[:1], rows=True), ()
    net = dycl.compile(model, example, rows=True)
    return model, net, ({"h": 1}, {"h": np.zeros((1, 8), np.float32)})


def agree(found, wanted):
    assert type(found) is type(wanted)
    if isinstance(wanted, tuple):
        for one, other in zip(found, wanted, strict=True):
            agree(one, other)
        return
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [1, 2, 9, 40])
def test_each_session_is_a_model_of_its_own(case, count):
    model, net, state = case
    before = net.state
    sessions, eager = Sessions(net, *state), Eager(model)
    generator = np.random.default_rng(count)
    for _ in range(4):
        keys = [int(k) for k in generator.integers(0, count, count)]
        x = torch.from_numpy(generator.standard_normal((count, 4), np.float32))
        with torch.no_grad():
            wanted = [eager(k, x[i : i + 1]) for i, k in enumerate(keys)]
        for one, other in zip(sessions(keys, x), wanted, strict=True):
            agree(one, other)
    assert set(sessions) == set(eager.kept)
    assert len(sessions) == len(eager.kept)
    if not state:
        assert net.state.keys() == before.keys()
        assert net.state["calls"] == before["calls"]
        key = next(iter(sessions))
        assert sessions.state(key)["calls"] == eager.kept[key].calls


def test_a_session_that_ends_begins_anew(case):
    model, net, state = case
    sessions, eager = Sessions(net, *state), Eager(model)
    x = torch.ones(1, 4)
    with torch.no_grad():
        first = eager("a", x)
    agree(sessions(["a"], x)[0], first)
    assert "a" in sessions
    sessions.end("a")
    assert "a" not in sessions
    agree(sessions(["a"], x)[0], first)
    with pytest.raises(KeyError):
        sessions.end("b")
    with pytest.raises(KeyError):
        sessions.state("b")


def test_a_row_that_raises_leaves_its_session(case):
    model, net, state = case
    sessions, eager = Sessions(net, *state), Eager(model)
    x = torch.randn(5, 4)
    sessions(range(5), x)
    left = {key: sessions.state(key) for key in sessions}
    bad = x.clone()
    bad[2, 0] = 51
    answers = sessions.answers(range(5), [bad.numpy()])
    assert isinstance(answers[2], ValueError)
    np.testing.assert_equal(sessions.state(2), left[2])
    with torch.no_grad():
        for key in (0, 1, 3, 4):
            eager(key, x[key : key + 1])
            wanted = eager(key, x[key : key + 1])
            found = answers[key]
            found = found if isinstance(found, tuple) else (found,)
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            agree(tuple(map(torch.from_numpy, found)), wanted)
    with pytest.raises(ValueError, match="too large"):
        sessions(range(5), bad)


def test_what_does_not_fit_is_refused(case):
    _, net, state = case
    sessions = Sessions(net, *state)
    x = torch.zeros(3, 4)
    with pytest.raises(InputError, match="not one row for each key"):
        sessions(["a"], x)
    with pytest.raises(InputError, match="inputs"):
        sessions(["a"], x, x)
    assert len(sessions) == 0
    with pytest.raises(TypeError, match="the state of a session"):
        Sessions(net, *(() if state else ({"x": 0}, {"x": x[:1]})))
    if state:
        with pytest.raises(ValueError, match="no input with a first value"):
            Sessions(net, {"h": 1})
        with pytest.raises(InputError, match="not one row"):
            Sessions(net, {"h": 1}, {"h": np.zeros((2, 8), np.float32)})
        wrong = Sessions(net, {"h": 0}, {"h": np.zeros((1, 8), np.float32)})
        with pytest.raises(InputError, match="not one row"):
            wrong(["a"], x[:1])


def test_a_batcher_with_sessions(case):
    model, net, state = case
    sessions, eager = Sessions(net, *state), Eager(model)

    async def client(batcher, key):
        generator = np.random.default_rng(key)
        found = []
        for number in range(6):
            x = generator.standard_normal((1, 4), np.float32)
            if number == 3:
                bad = x.copy()
                bad[0, 0] = 51
                with pytest.raises(ValueError, match="too large"):
                    await batcher(bad, session=key)
            found.append(
                (torch.from_numpy(x), await batcher(torch.from_numpy(x), session=key))
            )
        return found

    async def main():
        async with Batcher(net, max_rows=16, sessions=sessions) as batcher:
            return await asyncio.gather(*(client(batcher, k) for k in range(20)))

    for key, found in enumerate(asyncio.run(main())):
        for x, answer in found:
            with torch.no_grad():
                agree(answer, eager(key, x))


def test_networks_without_a_state_have_no_sessions():
    class Plain(nn.Module):
        def forward(self, x):
            return x

    net = dycl.compile(Plain().eval(), (torch.zeros(1, 2),), rows=True)
    with pytest.raises(TypeError, match="is not there"):
        Sessions(net)
    with pytest.raises(TypeError, match="not compiled with rows"):
        Sessions(dycl.compile(Plain().eval(), (torch.zeros(1, 2),)))


class Grows(nn.Module):
    """Keys and values, to which a row may add its own."""

    def __init__(self):
        super().__init__()
        self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, keys, values):
        if x[0, 0] > 50:
            raise ValueError("too large")
        if x.sum() > 0:
            keys = torch.cat([keys, self.k(x)[:, None]], 1)
            values = torch.cat([values, self.v(x)[:, None]], 1)
        weights = (keys @ x[:, :, None]).softmax(1)
        return (weights * values).sum(1), keys, values


CARRIED = {"keys": 1, "values": 2}
MOST = 8


@pytest.fixture(scope="module")
def growing():
    torch.manual_seed(0)
    model = Grows().eval()
    n = dycl.Dim("n", max=MOST)
    example = (torch.zeros(1, 4), torch.zeros(1, 3, 4), torch.zeros(1, 3, 4))
    shapes = {"x": None, "keys": {1: n}, "values": {1: n}}
    return model, dycl.compile(model, example, rows=True, dynamic_shapes=shapes)


def empty(size=0):
    return {name: np.zeros((1, size, 4), np.float32) for name in CARRIED}


def told(eager, model, key, row):
    """What a session of eager's gives, and has then."""
    with torch.no_grad():
        wanted = model(row, *eager.get(key, (torch.zeros(1, 0, 4),) * 2))
    eager[key] = wanted[1:]
    return wanted


def test_states_of_different_sizes(growing):
    model, net = growing
    sessions, eager = Sessions(net, CARRIED, empty()), {}
    generator = np.random.default_rng(0)
    for _ in range(4):
        keys = [int(k) for k in generator.integers(0, 5, 6)]
        x = torch.from_numpy(generator.standard_normal((6, 4), np.float32))
        for key, row, found in zip(keys, x.split(1), sessions(keys, x), strict=True):
            agree(found, told(eager, model, key, row))
    sizes = {sessions.state(key)["keys"].shape[1] for key in sessions}
    assert len(sizes) > 2
    with torch.no_grad():
        agree(torch.from_numpy(sessions.state(0)["values"]), eager[0][1])


def test_a_batcher_of_states_of_different_sizes(growing):
    model, net = growing

    async def client(batcher, key):
        x = torch.randn(4, 4, generator=torch.Generator().manual_seed(key))
        return x, [await batcher(row, session=key) for row in x.split(1)]

    async def main():
        sessions = Sessions(net, CARRIED, empty())
        async with Batcher(net, max_rows=8, sessions=sessions) as batcher:
            return await asyncio.gather(*(client(batcher, k) for k in range(12)))

    eager = {}
    for key, (x, found) in enumerate(asyncio.run(main())):
        for row, answer in zip(x.split(1), found, strict=True):
            agree(answer, told(eager, model, key, row))


def test_the_first_row_that_raises_is_told_and_the_others_have_run(growing):
    _, net = growing
    sessions = Sessions(net, CARRIED, empty())
    ones = np.ones((1, 4), np.float32)
    sessions(["a", "a", "b"], ones.repeat(3, 0))
    with pytest.raises(ValueError, match="too large"):
        sessions(["a", "b", "c"], ones.repeat(3, 0) * np.float32([[1], [51], [1]]))
    sizes = {key: sessions.state(key)["keys"].shape[1] for key in sessions}
    assert sizes == {"a": 3, "b": 1, "c": 1}


def test_a_state_that_outgrows_the_network_is_that_rows_error(growing):
    _, net = growing
    sessions = Sessions(net, CARRIED, empty(MOST - 1))
    ones = np.ones((1, 4), np.float32)
    sessions(["full"], ones)
    found = sessions.answers(["full", "new"], [ones.repeat(2, 0)])
    assert isinstance(found[0], InputError)
    assert "the state `keys` has size 9 in dimension 1, which is not in n" in str(
        found[0]
    )
    assert [sessions.state(key)["keys"].shape[1] for key in sessions] == [MOST, MOST]
    agree(
        torch.from_numpy(found[1][1]), torch.from_numpy(sessions.state("new")["keys"])
    )


@pytest.mark.parametrize(
    ("initial", "why"),
    [
        (
            empty() | {"values": empty(1)["values"]},
            "size 1 in dimension 1, where n is 0",
        ),
        (
            empty(MOST + 1),
            "size 9 in dimension 1, which is not in n = 0..8: not one row",
        ),
        (
            empty() | {"keys": np.zeros((1, 0, 5), np.float32)},
            r"shape \[1, 0, 5\]: not",
        ),
        (empty() | {"keys": np.zeros((1, 0, 4))}, "has dtype float64: not one row"),
    ],
)
def test_first_states_that_do_not_fit(growing, initial, why):
    with pytest.raises(InputError, match=why):
        Sessions(growing[1], CARRIED, initial)
