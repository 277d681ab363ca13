"""`backend="auto"`: kernels go to the fastest, and values and paths stay eager's.

What launches take is made up here, so that each engine gets some kernels.
"""

import itertools
from functools import partial

import pytest
import torch

import dycl
from dycl.analysis.control.frequencies import frequencies
from dycl.checking.values import largest_relative
from dycl.diag import CompileError
from dycl.driver.placement import candidates, measured, placing, timing
from dycl.driver.placement.counted import note_runs
from dycl.ir.costs import runs_of
from dycl.ir.placing_parser import parse_text
from dycl.kernels.cpu.engine import CpuKernel
from dycl.kernels.engines.library import ModuleKernel
from dycl.tools import same
from examples.compare import RTOL

ENGINES = ["onnxruntime", "openvino"]


class Gated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.second = torch.nn.Conv2d(16, 16, 3, padding=1)
        self.head = torch.nn.Linear(16, 5)

    def forward(self, x):
        y = torch.relu(self.first(x))
        y = self.second(y).tanh() if y.mean() > 0.5 else torch.sinh(y) * y.exp()
        while y.abs().sum() > 200:
            y = y * 0.7
        return self.head(y.mean((2, 3))).log_softmax(1)


def gated():
    torch.manual_seed(0)
    x = torch.randn(1, 3, 8, 8)
    return Gated().eval(), [(x * s,) for s in (0.0, 0.2, 1.0, 3.0, 9.0)]


@pytest.fixture
def made_up(monkeypatch):
    """Times by turns: a kernel's launch is fastest by ours, by one engine, by another.

    Gives the names of the backends that were compared for each kernel.
    """
    for engine in ENGINES:
        pytest.importorskip(engine)
    turns = itertools.cycle([*ENGINES, "cpu"])
    compared = []

    def fastest(runs, one_thread):
        assert all(
            launch() is None for launches in runs.values() for launch in launches
        )
        compared.append(list(runs))
        chosen = next(turns)
        return {name: 1e-3 if name == chosen else 1e-2 for name in runs}

    monkeypatch.setattr(measured, "fastest", fastest)
    return compared


def agrees(net, model, inputs):
    """The sides that were taken, of all decisions."""
    sides = set()
    for given in inputs:
        with torch.no_grad():
            assert largest_relative(net(*given), model(*given)) <= RTOL
        sides |= {(d.name, d.taken) for d in net.path}
    return sides


def test_kernels_are_divided_and_remembered(
    made_up, monkeypatch, tmp_path, tmp_path_factory
) -> None:
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    model, inputs = gated()
    net = dycl.compile(model, inputs[0], backend="auto", verify=True)
    every = {(n, taken) for n, *_ in net.decisions for taken in (True, False)}
    assert agrees(net, model, inputs) == every
    assert net.placement.candidates == tuple(ENGINES)
    chosen = {row.kernel: row.backend for row in net.placement.rows}
    assert {*chosen.values()} == {"cpu", *ENGINES}
    kinds = {type(net.library[spec.name]) for spec in net.library.specs}
    assert kinds == {CpuKernel, ModuleKernel}
    assert ["cpu", *ENGINES] in made_up
    net.save(tmp_path / "net.dycl")
    assert agrees(dycl.load(tmp_path / "net.dycl"), model, inputs) == every

    count = len(made_up)
    again = dycl.explain(model, inputs[0], backend="auto", verify=True)
    assert len(made_up) == count
    assert again.net.stages == net.stages
    assert again.net.host_source == net.host_source
    said = str(again).partition("kernels")[2]
    for kernel, backend in chosen.items():
        assert f"{kernel} (" in said
        assert f"): {backend}; " in said


def test_all_are_ours_where_no_engine_is_installed(monkeypatch) -> None:
    monkeypatch.setattr(candidates, "candidate_names", list)
    model, inputs = gated()
    net = dycl.compile(model, inputs[0], backend="auto")
    assert "no other backend is installed" in str(net.placement)
    assert net.host == "native"
    assert agrees(net, model, inputs)


def test_other_machines_are_not_timed(monkeypatch) -> None:
    model, inputs = gated()
    net = dycl.compile(model, inputs[0], backend="auto", target="x86-64-v3")
    assert "for other machines" in str(net.placement)
    assert net.host == "native"


def test_a_profile_says_how_often_launches_run() -> None:
    model, inputs = gated()
    net = dycl.compile(model, inputs[0])
    with dycl.profile(net) as profile:
        for given in inputs:
            net(*given)
    context = same.new_context()
    module = parse_text(context, net.stages["hcfg"], "net.mlir")
    note_runs(module, profile.data())
    runs = {op.kernel_name: runs_of(op) for op in frequencies(module)}
    sides = [runs[f"forward_second_{side}"] for side in ("then", "else")]
    assert sum(sides) == 1.0
    assert 0.0 not in sides
    assert runs["forward_first"] == runs["forward_head"] == 1.0
    tests = runs["forward_loop_1_test"]
    assert tests > 1.0
    assert runs["forward_loop_1_body"] == pytest.approx(tests - 1.0)


class Sided(torch.nn.Module):
    """One side of its decision has a kernel that an engine takes in part."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 16, 3, padding=1, bias=False)
        self.other = torch.nn.Conv2d(16, 16, 3, padding=1)
        self.last = torch.nn.Conv2d(16, 16, 3, padding=1)

    def forward(self, x):
        y = self.first(x)
        y = torch.sinh(y) * y.exp() if y.sum() > 0 else self.other(y)
        return self.last(y).mean((2, 3))


def sided():
    """The model, and an input for each side."""
    torch.manual_seed(0)
    model, x = Sided().eval(), torch.ones(1, 3, 32, 32)
    with torch.no_grad():
        return model, *sorted([x, -x], key=lambda x: -model.first(x).sum())


SIDE = "forward_other_then"


@pytest.fixture
def needs_rows(monkeypatch):
    """An engine gains 60 us of one side, and costs each call two images of 16 us, which
    our own kernels around it convert."""
    times = {
        "forward_first": {"cpu": 100.0, "onnxruntime": 200.0},
        SIDE: {"cpu": 80.0, "onnxruntime": 20.0},
        "forward_other_else": {"cpu": 100.0, "onnxruntime": 200.0},
        "forward_last": {"cpu": 100.0, "onnxruntime": 200.0},
    }
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr(placing, "measured", lambda *_: (times, False))


def moved(net):
    return {row.kernel for row in net.placement.rows if row.backend != "cpu"}


@pytest.mark.usefixtures("needs_rows")
def test_a_profile_turns_a_choice_over() -> None:
    """Of half the calls, 30 us on average are gained, which the images cost."""
    model, ups, downs = sided()
    compiled = partial(dycl.compile, model, (ups,), backend="auto")
    assert moved(compiled()) == set()
    for calls, expected in (
        ([(downs,), (downs,)], set()),
        ([(ups,), (downs,)], set()),
        ([(ups,), (ups,)], {SIDE}),
    ):
        net = compiled(profile=calls)
        assert moved(net) == expected
        for x in (ups, downs):
            torch.testing.assert_close(net(x), model(x))


@pytest.mark.usefixtures("needs_rows")
def test_profiles_of_divided_networks_count_as_others_do() -> None:
    model, ups, downs = sided()
    compiled = partial(dycl.compile, model, (ups,), backend="auto")
    divided = compiled(profile=[(ups,)])
    parts = {f"{SIDE}_cpu", f"{SIDE}_onnxruntime"}
    assert {s.name for s in divided.library.specs} >= parts
    for net in (divided, dycl.compile(model, (ups,))):
        for x, expected in ((ups, {SIDE}), (downs, set())):
            with dycl.profile(net) as profile:
                net(x)
            assert moved(compiled(profile=profile)) == expected
    other = dycl.compile(Gated().eval(), (gated()[1][0]))
    with dycl.profile(other) as profile:
        other(*gated()[1][0])
    with pytest.raises(CompileError, match="DY506.*is of another network"):
        compiled(profile=profile)


class Seldom(torch.nn.Module):
    def forward(self, x):
        y = x * 2
        return torch.sinh(y) * y.exp() if y.sum() > 0 else y.tanh()


def test_what_gains_on_a_seldom_path_is_moved(monkeypatch) -> None:
    """No call of the profile took that side, and each that does gains a third."""
    pytest.importorskip("onnxruntime")
    side = "forward_decision_1_then"
    times = {
        "forward_head": {"cpu": 40.0, "onnxruntime": 90.0},
        side: {"cpu": 50.0, "onnxruntime": 20.0},
        "forward_decision_1_else": {"cpu": 10.0, "onnxruntime": 90.0},
    }
    monkeypatch.setattr(placing, "measured", lambda *_: (times, False))
    model, ups, downs = Seldom().eval(), torch.ones(1, 4), -torch.ones(1, 4)
    net = dycl.compile(model, (ups,), backend="auto", profile=[(downs,)])
    assert moved(net) == {side}
    for x in (ups, downs):
        torch.testing.assert_close(net(x), model(x))


def test_those_that_are_timed_take_turns() -> None:
    order = []
    runs = {name: [lambda name=name: order.append(name)] * 2 for name in "ab"}
    times = timing.fastest(runs)
    assert {*times} == {"a", "b"}
    assert all(0 < seconds < 1e-3 for seconds in times.values())
    rounds = ["".join(group) for group, _ in itertools.groupby(order)]
    assert rounds[:4] == ["a", "b", "a", "b"]
