"""What a run raises, prints, logs and warns is what eager raises, prints, ...

Each program runs on inputs that take both sides of every decision, which is asserted.
"""

import importlib.util
import io
import logging
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import torch
from torch import nn
from xdsl.context import Context
from xdsl.parser import Parser

import dycl
from dycl.ir.interpreter import Interpreter
from dycl.runtime import IterationLimit
from dycl.universe import everything


def load(theme):
    name = f"dycl_test_programs_{theme}"
    if name not in sys.modules:
        path = Path(__file__).parent / "programs" / f"{theme}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


effects = load("effects")
LEVELS = ("source", "normal", "typed", "hcfg", "host")


def rows(count=150):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(count, 1, 4, generator=generator)
    x[0], x[1] = x[0].abs(), -x[1].abs()
    return [row * (0.3, 1.0, 3.0)[i % 3] for i, row in enumerate(x)]


class Records(logging.Handler):
    def __init__(self):
        super().__init__()
        self.seen = []

    def emit(self, record):
        place = (record.filename, record.lineno)
        self.seen.append((record.name, record.levelname, record.getMessage(), place))


def observe(run, x):
    """Everything that a run does: value or exception, output, records, warnings."""
    out, err, records = io.StringIO(), io.StringIO(), Records()
    value = error = None
    root = logging.getLogger()
    level = root.level
    root.addHandler(records)
    root.setLevel(logging.INFO)
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        torch.no_grad(),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        try:
            value = run(x)
        except Exception as raised:
            error = (type(raised), raised.args, str(raised))
    root.removeHandler(records)
    root.setLevel(level)
    said = [(w.category, str(w.message)) for w in caught]
    return value, (error, out.getvalue(), err.getvalue(), records.seen, said)


def parsed(text):
    context = Context()
    for name, load_dialect in everything().all_dialects.items():
        context.register_dialect(name, load_dialect)
    return Parser(context, text).parse_module()


def same(actual, expected):
    if isinstance(expected, tuple):
        return all(map(same, actual, expected))
    if isinstance(expected, torch.Tensor):
        return torch.allclose(actual, expected, rtol=1e-4, atol=1e-5)
    return actual == expected


@pytest.mark.parametrize("make", effects.PROGRAMS, ids=lambda make: make.__name__)
def test_effects_are_those_of_eager(make):
    torch.manual_seed(0)
    model = make().eval()
    inputs = rows()
    net = dycl.compile(model, (inputs[0],), verify=True)
    taken, raised = set(), set()
    for x in inputs:
        expected, wanted = observe(model, x)
        actual, done = observe(net, x)
        assert done == wanted
        assert same(actual, expected)
        taken |= {(d.name, d.line, d.taken) for d in net.path}
        raised.add(wanted[0] is not None)
    sides = {(name, line, t) for name, _, _, line in net.decisions for t in (0, 1)}
    assert taken == sides
    if "raise " in net.host_source:
        assert raised == {True, False}
    for level in LEVELS:
        the_interpreter_does_the_same(net, model, level)


def the_interpreter_does_the_same(net, model, level):
    machine = Interpreter(parsed(net.stages[level]), model.state_dict())
    for x in rows()[:12]:
        _, wanted = observe(model, x)
        _, done = observe(lambda x: machine.run([x]).value, x)
        # A record of the interpreter's tells of no place in the user's file.
        strip = [(*record[:3],) for record in done[3]]
        assert done[:3] == wanted[:3]
        assert strip == [(*record[:3],) for record in wanted[3]]
        assert done[4] == wanted[4]


def test_kernels_around_a_print_stay_whole():
    class Quiet(effects.Base):
        def forward(self, x):
            return self.b(self.a(x))

    class Loud(effects.Base):
        def forward(self, x):
            y = self.a(x)
            print("here")
            return self.b(y)

    x = torch.ones(1, 4)
    quiet, loud = (dycl.compile(make().eval(), (x,)) for make in (Quiet, Loud))
    assert len(loud.library.specs) == len(quiet.library.specs) == 1


def test_a_class_that_is_not_loaded_is_stood_in_for(monkeypatch):
    model = effects.Raises().eval()
    net = dycl.compile(model, (torch.zeros(1, 4),))
    monkeypatch.delitem(sys.modules, effects.__name__)
    with pytest.raises(ValueError, match=r"-5\.0.*-3") as caught:
        net(torch.full((1, 4), -5.0))
    assert type(caught.value).__name__ == "TooSmall"
    assert type(caught.value) is not effects.TooSmall


def test_warnings_tell_of_the_users_line():
    net = dycl.compile(effects.Warns().eval(), (torch.zeros(1, 4),))
    with pytest.warns(UserWarning, match="large input") as caught:
        net(torch.full((1, 4), 5.0))
    assert Path(caught[0].filename).name == "effects.py"


def test_state_after_an_exception_is_as_before():
    net = dycl.compile(effects.Raises().eval(), (torch.zeros(1, 4),))
    x = torch.full((1, 4), 0.5)
    before = net(x)
    with pytest.raises(ValueError, match="too large"):
        net(torch.full((1, 4), 5.0))
    assert [str(d.test) for d in net.path] == ["x.max() > 3.0"]
    assert torch.equal(net(x), before)


class Halving(nn.Module):
    """Two nested loops that a large or endless input drives."""

    def forward(self, x):
        steps = 0
        while x.max() > 1.0:
            y = x
            while True:
                y = y - 1
                if y.max() < 1.0:
                    break
            x = x * 0.5 if x.max() < 1e30 else x
            steps += 1
            print("step", steps)
        return x, steps


def test_a_loop_may_run_as_often_as_it_may():
    x = torch.full((1, 2), 4.0)
    expected = Halving()(x)
    for limit in (4, None):
        net = dycl.compile(Halving().eval(), (x,), max_iterations=limit)
        actual, steps = net(x)
        assert torch.equal(actual, expected[0])
        assert steps == expected[1] == 2
    # Each run of the inner loop counts anew: 4 rounds, then 2.
    line = Halving.forward.__code__.co_firstlineno + 4
    net = dycl.compile(Halving().eval(), (x,), max_iterations=3)
    words = rf"test_effects\.py:{line} runs more than 3 times.*DY602"
    with pytest.raises(IterationLimit, match=words):
        net(x)


def test_a_loop_stops_before_the_body_runs_once_more(capsys):
    class Endless(nn.Module):
        def forward(self, x):
            steps = 0
            while x.max() > 0:
                steps += 1
                print("step", steps)
            return x

    net = dycl.compile(Endless().eval(), (torch.zeros(1),), max_iterations=2)
    with pytest.raises(IterationLimit):
        net(torch.ones(1))
    assert capsys.readouterr().out == "step 1\nstep 2\n"


@pytest.mark.parametrize("host", ["auto", "python"])
def test_an_index_is_checked(host):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Parameter(torch.arange(3.0))

        def forward(self, x):
            return self.table[(x > 0).sum(1)] * 2

    net = dycl.compile(Net().eval(), (torch.ones(1, 4),), host=host)
    assert net(torch.tensor([[1.0, 1.0, -1.0, -1.0]])).tolist() == [4.0]
    with pytest.raises(IndexError, match="out of"):
        net(torch.ones(1, 4))


def test_a_network_without_kernels():
    class Net(nn.Module):
        def forward(self, x):
            return {"n": x.shape[1], "text": "none"}

    net = dycl.compile(Net().eval(), (torch.ones(1, 4),))
    assert net(torch.ones(1, 4)) == {"n": 4, "text": "none"}


class SaysWhatIsWrong(nn.Module):
    """The texts of exceptions name tensors, of one element and of several."""

    def forward(self, x):
        bad = x[x > 2]
        if bad.numel() > 0:
            raise ValueError(f"wrong: {bad}", x)
        if x.min() < -2:
            raise RuntimeError(f"{x.min():.1f} in {x}")
        return x * 2


def test_exceptions_tell_dtype_and_shape_of_tensors():
    net = dycl.compile(SaysWhatIsWrong().eval(), (torch.zeros(1, 4),))
    x = torch.tensor([[1.0, -1.0, 0.5, 0.0]])
    assert torch.equal(net(x), x * 2)
    with pytest.raises(ValueError, match=r"wrong: a float32 tensor") as caught:
        net(x * 3)
    assert "tensor of shape (1, 4)" in str(caught.value)
    with pytest.raises(RuntimeError, match=r"-2.5 in a float32 tensor of shape \(1,"):
        net(x.minimum(torch.zeros(1, 4)) * 2.5)
