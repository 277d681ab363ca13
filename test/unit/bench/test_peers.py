"""Peers: one tiny network by each that is installed, and what is done to it before."""

import importlib.util
import subprocess
import sys

import pytest
import torch
from torch import nn

from bench import subjects
from bench.contestant import ROOT
from bench.machine import one_thread
from bench.peers import PEERS
from bench.peers import onnx as onnx_peers
from bench.peers.best import best
from bench.peers.folding import NORMS, folded, pairs
from bench.peers.lines import Line
from bench.work import work_of
from dycl.checking.values import largest_relative


@pytest.fixture(autouse=True)
def alone():
    """No threads of torch that wait for each other on a busy machine."""
    with one_thread(), torch.no_grad():
        yield


class Gated(nn.Module):
    """A convolution with its norm, a gate, and a second one behind it."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3)
        self.norm, self.other = nn.BatchNorm2d(8), nn.BatchNorm2d(8)
        self.gate = nn.Linear(8, 1)

    def forward(self, x):
        x = torch.relu(self.norm(self.first(x)))
        count = torch.zeros(1)
        if torch.sigmoid(self.gate(x.mean((2, 3)))).item() > 0.5:
            x = torch.relu(self.other(self.second(x)))
            count += 1
        return x.mean((2, 3)), count


def test_the_environment_of_peers_has_what_compares_their_answers():
    """What the compiler needs and `bench/peers.txt` has not is kept from importing."""
    blocked = "\n".join(
        [
            "import sys",
            "sys.modules.update(dict.fromkeys(sys.argv[1:]))",
            "import bench.peers.in_torch, dycl.checking.values",
        ]
    )
    asked = (ROOT / "bench" / "peers.txt").read_text(encoding="utf-8")
    names = {"xdsl": "xdsl", "torch_mlir": "torch-mlir", "rich": "rich"}
    absent = [name for name, wheel in names.items() if f"{wheel}==" not in asked]
    assert "torch_mlir" in absent
    command = [sys.executable, "-c", blocked, *absent]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr


@pytest.fixture(scope="module")
def subject():
    """An image for each side of the gate."""
    torch.manual_seed(0)
    model = Gated().eval()
    for norm in (model.norm, model.other):
        nn.init.uniform_(norm.running_mean, -0.5, 0.5)
        nn.init.uniform_(norm.weight, 0.5, 1.5)
    with torch.no_grad(), one_thread():
        images = [torch.randn(1, 3, 8, 8) for _ in range(30)]
        scores = [
            model.gate(model.norm(model.first(x)).relu().mean((2, 3))) for x in images
        ]
        model.gate.bias -= torch.cat(scores).median()
        found = {int(model(x)[1]): (x,) for x in images}
        inputs = [found[0], found[1]]
        answers = [model(*given) for given in inputs]
        work = [work_of(model, given) for given in inputs]
    return subjects.Subject("gated", model, ["off", "on"], inputs, answers, work)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    """What engines share of the subject, which is exported once."""
    return tmp_path_factory.mktemp("scratch")


def worst(run, subject):
    """The largest difference from eager on any path."""
    both = zip(subject.inputs, subject.answers, strict=True)
    return max(largest_relative(run(*given), answer) for given, answer in both)


def norms_of(model):
    return sum(isinstance(module, NORMS) for module in model.modules())


def test_norms_that_ran_are_folded_and_the_model_stays_as_it_was(subject):
    model = folded(subject.model, subject.inputs)
    assert (norms_of(subject.model), norms_of(model)) == (2, 0)
    assert worst(model, subject) < 1e-5
    assert norms_of(folded(subject.model, subject.inputs[:1])) == 1


def test_a_convolution_that_is_read_elsewhere_keeps_its_norm():
    class Read(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2)

        def forward(self, x):
            x = self.conv(x)
            return self.norm(x) + x

    assert pairs(Read().eval(), [(torch.randn(1, 1, 2, 2),)]) == {}


def test_a_straight_line_has_what_decisions_look_at_and_no_decision(subject, tmp_path):
    for path, inputs in enumerate(subject.inputs):
        line = Line(lambda: subject.model, inputs, tmp_path / f"{path}.json")
        assert (line.kept, line.count) == ([True, False], 2)
        run = line.program.module()
        assert (
            largest_relative(
                line.like(subject.answers[path], run(*inputs)), subject.answers[path]
            )
            < 1e-6
        )
        convolutions = line.program.graph_module.code.count("aten.conv")
        assert convolutions == 1 + path
    again = Line(lambda: 1 / 0, subject.inputs[0], tmp_path / "0.json")
    assert (again.kept, again.count) == ([True, False], 2)


INDUCTOR = "AOTInductor, trace per path"
"""It needs a C++ compiler, and half a minute of it: only the race runs it."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", [peer for peer in PEERS if PEERS[peer].straight and peer != INDUCTOR]
)
def test_each_installed_engine_takes_a_path(name, subject, scratch):
    peer = PEERS[name]
    for module in peer.modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    assert worst(peer.prepare(subject, 1, scratch), subject) < 1e-4


def test_eager_at_its_best_equals_eager(subject, tmp_path):
    run = PEERS["eager, folded"].prepare(subject, 1, tmp_path)
    assert run.setting in ("channels last", "contiguous")
    assert worst(run, subject) < 1e-5


@pytest.mark.filterwarnings("ignore")
def test_torchscript_at_its_best_equals_eager(subject, tmp_path):
    run = PEERS["TorchScript"].prepare(subject, 1, tmp_path)
    assert run.setting in ("optimised for inference", "frozen")
    assert worst(run, subject) < 1e-5


def test_the_best_way_is_right(subject):
    def fails():
        raise ValueError("no")

    def wrong():
        return lambda *_: (torch.ones(1, 8), torch.ones(1))

    ways = {"broken": fails, "wrong": wrong, "right": lambda: subject.model}
    assert best(ways, subject).setting == "right; broken fails: ValueError"
    ways.pop("broken")
    assert best(ways, subject).setting == "right"
    assert best({"wrong": wrong}, subject).setting == "wrong"
    with pytest.raises(ValueError, match="no"):
        best({"fails": fails}, subject)


def test_weights_that_were_moved_already_need_no_onnx(tmp_path, monkeypatch):
    made = tmp_path / f"inside-{onnx_peers.FILE}"
    for file in (made, made.with_name(made.name + ".json")):
        file.write_text('{"seconds": 0.0, "peak": 0.0}', encoding="utf-8")
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.delitem(sys.modules, "bench.peers.onnx_branches", raising=False)
    assert onnx_peers._inside(tmp_path) == made


def test_weights_go_where_they_are_read():
    onnx = pytest.importorskip("onnx")
    from bench.peers.onnx_branches import with_weights_inside

    helper = onnx.helper
    weight = helper.make_tensor("w", onnx.TensorProto.FLOAT, [1], [2.0])
    out = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1])
    side = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["y"])], "side", [], [out]
    )
    other = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])], "other", [], [out]
    )
    choice = helper.make_node("If", ["c"], ["z"], then_branch=side, else_branch=other)
    given = [
        helper.make_tensor_value_info("c", onnx.TensorProto.BOOL, []),
        helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1]),
    ]
    result = helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, [1])
    graph = helper.make_graph([choice], "whole", given, [result], [weight])
    moved = with_weights_inside(helper.make_model(graph)).graph
    sides = {each.name: each.g for each in moved.node[0].attribute}
    assert len(moved.initializer) == 0
    assert [each.name for each in sides["then_branch"].initializer] == ["w"]
    assert len(sides["else_branch"].initializer) == 0
