"""A profile's counts are those of the paths, and its times add up; off, it is gone."""

import ctypes
import gc
import threading
import weakref
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

import dycl
from dycl.runtime import ProfileError
from dycl.runtime.native import NativeHost
from dycl.runtime.profiling import clocks
from dycl.runtime.profiling.distributions import Distributions

NEARLY = pytest.approx


def paths_of(data):
    """How often each path was taken."""
    return {
        tuple(tuple(side) for side in entry["path"]): entry["count"]
        for entry in data["paths"]
    }


def numbers(net):
    """The path of the last call as numbers and sides."""
    known = [*net.decisions]
    place = [known.index((d.name, d.test, d.file, d.line)) for d in net.path]
    return tuple(zip(place, (d.taken for d in net.path), strict=True))


def check_sums(data):
    """The parts of a whole are no more than it, and segments are all of it."""
    whole = data["calls"]["total_us"]
    kernels = sum(entry["total_us"] for entry in data["launches"])
    assert sum(data["share"].values()) == NEARLY(1, abs=1e-5)
    assert all(part >= 0 for part in data["share"].values())
    assert kernels == NEARLY(data["share"]["kernels"] * whole, rel=1e-2, abs=1)
    run = (data["share"]["kernels"] + data["share"]["host"]) * whole
    sides = [entry[side] for entry in data["decisions"] for side in ("true", "false")]
    segments = sum(side["total_us"] for side in (data["start"], *sides))
    assert segments == NEARLY(run, rel=1e-2, abs=1)
    assert sum(p["total_us"] for p in data["paths"]) == NEARLY(whole, rel=1e-3)
    assert sum(p["count"] for p in data["paths"]) == data["calls"]["count"]


def check_counts(data, seen):
    """Calls, paths and sides are those of `seen`: a count of each path."""
    assert paths_of(data) == dict(seen)
    assert data["calls"]["count"] == sum(seen.values())
    sides = Counter()
    for path, count in seen.items():
        for number, side in path:
            sides[number, side] += count
    for number, entry in enumerate(data["decisions"]):
        assert entry["true"]["count"] == sides[number, True]
        assert entry["false"]["count"] == sides[number, False]


def test_counts_are_those_of_the_paths(gate, exits):
    """Also that the results are those of calls that are not profiled."""
    seen = Counter()
    expected = {sides: gate(x) for sides, x in exits.items()}
    with dycl.profile(gate) as p:
        for repeats, (sides, x) in enumerate(exits.items(), 1):
            for _ in range(repeats):
                assert np.array_equal(gate(x), expected[sides])
                assert tuple(d.taken for d in gate.path) == sides
                seen[numbers(gate)] += 1
    assert sorted(seen.values()) == [1, 2, 3]
    data = p.data()
    check_counts(data, seen)
    check_sums(data)
    assert data["host"] == gate.host
    by_line = Counter()
    for entry in data["launches"]:
        assert entry["file"] == "conftest.py"
        by_line[entry["kernel"]] += entry["count"]
    assert max(by_line.values()) == 6, "the sum is computed in each call"
    assert by_line.total() > 6


def test_loops_recursion_state_and_exceptions(any_net):
    """The times of a call that raises count, and the state goes on."""
    x = np.full((1, 4), 3, np.float32)
    y, _ = any_net(x, 2), any_net.reset_state()
    seen = Counter()
    with dycl.profile(any_net) as p:
        assert np.array_equal(any_net(x, 2), y)
        seen[numbers(any_net)] += 1
        any_net(x * 3, n=5)
        seen[numbers(any_net)] += 1
        with pytest.raises(ValueError, match="negative"):
            any_net(np.array([[-1, 20, 0, 0]], np.float32), 1)
        seen[numbers(any_net)] += 1
    data = p.data()
    check_counts(data, seen)
    check_sums(data)
    assert data["raised"] == 1
    assert max(len(path) for path in seen) > 4, "a loop makes decisions"
    assert np.array_equal(any_net.state["h"], x * 4)
    halved = [e for e in data["launches"] if e["line"] == e_line("halve(x / 2")]
    assert sum(entry["count"] for entry in halved) == 2 + 5


def e_line(text):
    """The line of the models' file that has this text."""
    lines = Path(__file__).with_name("conftest.py").read_text().splitlines()
    [line] = [n for n, words in enumerate(lines, 1) if text in words]
    return line


def test_threads_share_one_profile(gate, exits):
    """Threads that are there before, and threads that are not."""
    inputs = [*exits.values()]
    ready, go = threading.Barrier(4), threading.Event()
    seen = [Counter() for _ in range(3)]

    def work(counter):
        gate(inputs[0])
        ready.wait()
        go.wait()
        for i in range(60):
            gate(inputs[i % 3])
            counter[numbers(gate)] += 1

    threads = [threading.Thread(target=work, args=(each,)) for each in seen]
    for thread in threads:
        thread.start()
    ready.wait()
    with dycl.profile(gate) as p:
        late = Counter()
        go.set()
        last = threading.Thread(target=lambda: gate(inputs[2]))
        last.start()
        gate(inputs[0])
        late[numbers(gate)] += 1
        for thread in (*threads, last):
            thread.join()
    gate(inputs[2])
    late[numbers(gate)] += 1
    data = p.data()
    check_counts(data, sum(seen, late))
    check_sums(data)


def test_a_call_that_runs_nothing_does_not_count(gate):
    with dycl.profile(gate) as p, pytest.raises(dycl.runtime.InputError):
        gate(np.zeros((2, 4), np.float32))
    assert p.data()["calls"]["count"] == 0
    assert str(p) == "no call was profiled"


def test_torch_tensors_come_back_as_such(gate, exits):
    x = torch.tensor(exits[False, True])
    before = gate(x)
    with dycl.profile(gate) as p:
        assert torch.equal(gate(x), before)
    assert p.data()["calls"]["count"] == 1


def test_other_weights_while_it_profiles(gates, exits):
    net, x = gates["loaded"], exits[False, False]
    before = dict(net.weights)
    with dycl.profile(net) as p:
        net(x)
        net.load_weights({k: v * 0 for k, v in before.items()})
        assert np.array_equal(net(x), np.ones((1, 4), np.float32))
        net.load_weights(before)
    net(x)
    assert p.data()["calls"]["count"] == 2


def test_profiles_may_be_nested(gate, exits):
    """The inner one has the calls in its block, the outer one the others."""
    x = exits[(True,)]
    with dycl.profile(gate) as outer:
        gate(x)
        with dycl.profile(gate) as inner:
            gate(x)
            gate(x)
        gate(x)
    counts = [p.data()["calls"]["count"] for p in (outer, inner)]
    assert counts == [2, 2]


def test_off_nothing_is_left(gates, exits):
    """The call goes the way that it went before; no clock is read."""
    for name, net in gates.items():
        inner = getattr(net, "_net", net)
        net(exits[(True,)])
        instance = inner._calls._instance()
        before = (inner.at_once, inner.observer, instance.forward)
        ways = getattr(instance, "run_on", None)
        with dycl.profile(net):
            assert inner.observer is not None
            assert instance.forward is not before[2]
        assert (inner.at_once, inner.observer, instance.forward) == before, name
        assert getattr(instance, "run_on", None) is ways
        if inner._native is not None:
            net(exits[(True,)])
            events, dropped = ctypes.c_void_p(), ctypes.c_int64()
            places = ctypes.byref(events), ctypes.byref(dropped)
            assert inner._native.take_events(instance.handle, *places) == 0


def test_a_profiled_network_can_end(gates, exits, tmp_path):
    """Nothing of a profile keeps buffers of a network that is gone."""
    gates["compiled"].save(tmp_path / "net.dycl")
    net = dycl.load(tmp_path / "net.dycl")
    gone = []
    with dycl.profile(net) as p:
        thread = threading.Thread(target=net, args=(exits[(True,)],))
        thread.start()
        thread.join()
    weakref.finalize(net, gone.append, 1)
    del net, p
    gc.collect()
    assert gone == [1]


@pytest.mark.parametrize("mode", [clocks.MONOTONIC, clocks.TICKS])
def test_both_clocks_agree(gates, exits, mode, monkeypatch):
    """A processor without a steady counter is timed by the system's clock."""
    if mode == clocks.TICKS and not clocks.counts_steadily():
        pytest.skip("this processor has no steady counter")
    is_steady = mode == clocks.TICKS
    monkeypatch.setattr(clocks, "counts_steadily", lambda: is_steady)
    net = gates["loaded"]
    with dycl.profile(net) as p:
        for _ in range(50):
            net(exits[False, True])
    data = p.data()
    assert data["clock"]["name"] == ("tsc" if is_steady else "CLOCK_MONOTONIC")
    assert 0 < data["clock"]["cost_ns"] < 10_000
    check_sums(data)


def test_code_without_clocks_is_an_error(gates, monkeypatch):
    inner = gates["loaded"]._native
    assert isinstance(inner, NativeHost)
    monkeypatch.setattr(inner, "time", None)
    with pytest.raises(ProfileError, match="host='python'"):
        dycl.profile(gates["loaded"])


def test_percentiles_are_right_to_a_few_percent():
    values = np.random.default_rng(0).lognormal(8, 2, 5000)
    found = Distributions(2)
    found.add(np.ones(5000), values)
    summary = found.summary(1)
    for percent in (50, 90, 99):
        exact = np.percentile(values, percent) / 1e3
        assert summary[f"p{percent}_us"] == NEARLY(exact, rel=0.03)
    assert summary["count"] == 5000
    assert summary["total_us"] == NEARLY(values.sum() / 1e3)
    assert found.summary(0) == {"count": 0, "total_us": 0.0}
    found.grow(50)
    assert found.summary(1) == summary


@pytest.mark.parametrize("other", ["net.dycl", torch.nn.ReLU()])
def test_what_is_no_network_is_told(other):
    with pytest.raises(ProfileError, match=f"a {type(other).__name__} is no compiled"):
        dycl.profile(other)
