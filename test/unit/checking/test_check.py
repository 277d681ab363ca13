"""`dycl.check`: what is equal, and where a difference is said to be."""

import copy
import inspect

import pytest
import torch
from torch import nn

import dycl
from dycl.checking import CheckError


class Gate(nn.Module):
    """A kernel, one behind a decision, one that decides against a number given."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, t: float):
        h = self.first(x).relu()
        if h.sum() > 0:
            h = self.second(h) * 2
        p = h.softmax(-1)
        if p.max() > t:
            return p, "early"
        return [p - 1, h], "late"


class Halving(nn.Module):
    """A loop that the data ends, over numbers and tensors."""

    def forward(self, x):
        n, kept = 0, []
        while x.abs().max() > 1:
            x = x * 0.5
            kept.append(x.sum())
            n += 1
        return x, n, kept


class Memory(nn.Module):
    """A tensor and a number from call to call."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.hidden, self.calls = torch.zeros(1, 4), 0

    def forward(self, x):
        self.calls += 1
        h = self.fc(x) + self.hidden
        if h.sum() > 0:
            h = h * 0.5
        self.hidden = h
        return h


class Writes(nn.Module):
    """The input is changed, and what is negative is refused."""

    def forward(self, x):
        if x.sum() < 0:
            raise ValueError("negative")
        x += 1
        return x * 2


class Masks(nn.Module):
    """Decisions on several elements."""

    def forward(self, x):
        if (x > 1).any():
            x = x - 1
        if not (x <= 2).all():
            x = x * 0.5
        return x


def compiled(model, *inputs):
    torch.manual_seed(0)
    model = model().eval()
    return model, dycl.compile(model, inputs)


@pytest.fixture(scope="module")
def gate():
    return compiled(Gate, torch.randn(1, 8), 0.5)


@pytest.fixture(scope="module")
def halving():
    return compiled(Halving, torch.ones(1, 4))


@pytest.fixture
def x():
    return torch.randn(1, 8, generator=torch.Generator().manual_seed(3))


class Wrong:
    """The kernels of a network, one of which errs by a factor."""

    def __init__(self, library, name, factor):
        self.library, self.name, self.factor = library, name, factor
        self.specs, self.plain = library.specs, library.plain

    def __getitem__(self, name):
        kernel = self.library[name]
        return Scaled(kernel, self.factor) if name == self.name else kernel


class Scaled:
    """A kernel whose first result, floats, is multiplied by a factor."""

    def __init__(self, kernel, factor):
        self.kernel, self.factor = kernel, factor
        self.prepared, self.inputs_left = kernel.prepared, kernel.inputs_left
        self.workspace, self.open_dims = kernel.workspace, kernel.open_dims

    def bind(self, *arguments):
        return ScaledCall(self, arguments)


class ScaledCall:
    def __init__(self, kernel, arguments):
        self.kernel, self.arguments = kernel, list(arguments)
        self.bound = kernel.kernel.bind(*arguments)

    def store(self, index, value):
        self.arguments[index : index + 1] = [value]
        self.bound.store(index, value)

    def __call__(self):
        import ctypes

        self.bound()
        spec = self.kernel.kernel.spec
        count = len(self.kernel.inputs_left) + len(
            self.kernel.prepared.outputs if self.kernel.prepared else ()
        )
        size = spec.outputs[0].nbytes // 4
        memory = (ctypes.c_float * size).from_address(self.arguments[count])
        for i in range(size):
            memory[i] *= self.kernel.factor


def kernel_at(net, line):
    """The kernel that the user wrote at this line of a network."""
    (spec,) = [s for s in net.library.specs if s.location.line == line]
    return spec.name


def line_of(model, text):
    lines, start = inspect.getsourcelines(type(model))
    (offset,) = [i for i, line in enumerate(lines) if text in line]
    return start + offset


def second_kernel(gate):
    model, net = gate
    return kernel_at(net, line_of(model, "self.second(h) * 2"))


def largest(model, x):
    """What the last decision of `Gate` compares, in eager."""
    with torch.no_grad():
        h = model.first(x).relu()
        assert h.sum() > 0
        return float((model.second(h) * 2).softmax(-1).max())


def test_an_equal_network_is_equal_on_both_hosts_and_from_a_file(gate, x, tmp_path):
    model, net = gate
    assert net.host == "native"
    net.save(tmp_path / "net.dycl")
    net.save(tmp_path / "bare.dycl", raw_weights=False)
    found = [net, net.with_python_host()]
    found += [dycl.load(tmp_path / "net.dycl", host=h) for h in ("native", "python")]
    found.append(dycl.load(tmp_path / "bare.dycl"))
    for one in found:
        result = dycl.check(one, model, [(x, 0.9), (-x, 0.01)])
        assert result.ok, str(result)
        assert result.drift is None
        assert result.path_difference is None
        for call in result.calls:
            assert not call.notes
            assert not call.host_differs
            assert not call.program_differs
            assert len(call.launches) >= 2
            assert all(launch.place for launch in call.launches)
            assert [m.decision for m in call.margins] == list(call.path)
        assert str(result).startswith("equal to eager\n")


def test_an_artifact_holds_the_program_without_folders(gate, tmp_path):
    _, net = gate
    assert 'checking/test_check.py":' in net.program
    for name in ("one.dycl", "two.dycl"):
        net.save(tmp_path / name)
    one, two = ((tmp_path / name).read_bytes() for name in ("one.dycl", "two.dycl"))
    assert one == two
    loaded = dycl.load(tmp_path / "one.dycl").program
    assert "checking/" not in loaded
    assert '"test_check.py":' in loaded


def test_the_kernel_that_errs_is_found_at_its_line(gate, x):
    model, net = gate
    name = second_kernel(gate)
    result = dycl.check(
        net.with_library(Wrong(net.library, name, 1.01)), model, (x, 0.9)
    )
    assert not result.ok
    drift = result.drift
    assert drift.kernel == name
    assert drift.place == f"test_check.py:{line_of(model, 'self.second(h) * 2')}"
    assert drift.own.relative == pytest.approx(0.01, rel=1e-3)
    assert drift.own.ulp > 1e4
    later = result.calls[0].launches[drift.index + 1 :]
    assert later
    assert not any(launch.drifts for launch in later)
    assert max(launch.whole.relative for launch in later) > 1e-4
    text = str(result)
    assert (
        f"the first that drifts: launch {drift.index}, {name} ({drift.place})" in text
    )
    assert "h = self.second(h) * 2" in text  # the line, with a caret


def test_a_native_host_whose_kernels_compute_another_program(gate, x):
    """The code of a network with one constant edited, against the program as it was."""
    model, net = gate
    edited = net.program.replace("torch.constant.int 2 ", "torch.constant.int 3 ")
    source = inspect.getsource(Gate.forward)
    assert "* 2" in source
    assert edited != net.program
    wrong = dycl.compile_text(edited, net.weights)
    assert wrong.host == "native"
    wrong.program = net.program
    result = dycl.check(wrong, model, (x, 0.9))
    assert result.drift.kernel == second_kernel(gate)
    assert not result.calls[0].host_differs


def test_where_a_path_differs_both_values_and_the_threshold_are_told(gate, x):
    model, net = gate
    eager = largest(model, x)
    wrong = net.with_library(Wrong(net.library, second_kernel(gate), 1.01))
    here = float(wrong(x, 0.0)[0].max())
    assert here > eager
    t = (here + eager) / 2
    result = dycl.check(wrong, model, (x, t))
    assert result.margins[-1].may_flip
    assert result.margins[-1].error == pytest.approx(here - eager, rel=1e-3)
    difference = result.path_difference
    assert difference.index == 1
    assert (difference.here, difference.expected) == (True, False)
    assert difference.comparison.value == pytest.approx(here, rel=1e-6)
    assert difference.expected_comparison.value == pytest.approx(eager, rel=1e-6)
    assert difference.against == "eager"
    line = line_of(model, "if p.max() > t:")
    head = f"exit 1: p.max() > t (test_check.py:{line}): "
    assert str(difference).startswith(head)
    told = f"{here:.6g} here, {eager:.6g} in eager, threshold "
    assert told in str(difference)


def test_margins_and_what_may_flip(gate, x):
    model, net = gate
    eager = largest(model, x)
    far, near = (
        dycl.check(net, model, (x, t)).margins[-1] for t in (eager * 0.9, eager)
    )
    assert far.margin == pytest.approx(eager * 0.1, rel=1e-4)
    assert not far.may_flip
    assert near.margin < 1e-7
    assert near.may_flip
    assert near.here is not None
    assert 0 < near.error < 1e-5
    assert str(near).endswith(", may flip")


class Equalities(nn.Module):
    """Decisions that are no orderings, beside one that is."""

    def forward(self, x):
        if x.sum() > 3:
            return x
        if x.max() == x[0, 1]:
            return x * 2
        if x.argmax().item() == 2:
            return x * 3
        return -x


def test_decisions_without_a_margin_are_named():
    model, net = compiled(Equalities, torch.zeros(1, 4))
    x = torch.tensor([[0.1, 0.05, 0.3, 0.2]])
    result = dycl.check(net, model, (x,))
    assert result.ok, str(result)
    first, second = (line_of(model, t) for t in ("x.max() ==", "x.argmax()"))
    at = [f"(test_check.py:{line})" for line in (first, second)]
    words = f"none for 2 decisions: x.max() == x[0, 1] {at[0]}, x.argmax().item() == 2"
    assert f"          {words} {at[1]}" in str(result)
    unknown = str(dycl.check(net, model, (x * float("nan"),)))
    assert "margins   none for 3 decisions: x.sum() > 3" in unknown
    assert "none for" not in str(dycl.check(net, model, (x + 9,)))


def test_the_values_compared_are_those_of_the_compiled_kernel(gate, x):
    """At a close decision a copy of the kernel tells what it compares, to the bit."""
    model, net = gate
    model_says = largest(model, x)
    (*_, near) = dycl.check(net, model, (x, model_says)).margins
    assert near.here.value == float(net(x, 0.0)[0].max())


def test_loops_and_lists(halving):
    model, net = halving
    calls = [(torch.full((1, 4), size),) for size in (9.0, 0.5)]
    result = dycl.check(net, model, calls)
    assert result.ok, str(result)
    long, short = result.calls
    assert [d.taken for d in long.path] == [True] * 4 + [False]
    assert [m.comparison.value for m in long.margins] == [9, 4.5, 2.25, 1.125, 0.5625]
    assert [m.margin for m in long.margins] == [8, 3.5, 1.25, 0.125, 0.4375]
    assert [d.taken for d in short.path] == [False]
    text = "1.125 > 1, margin 0.12, error 1.2e-07, decision 4 of the path"
    assert text in str(long)
    assert [leaf.name for leaf in short.values] == ["output[0]", "output[1]"]


def test_a_state_is_compared_and_is_as_it_was_before():
    model, net = compiled(Memory, torch.ones(1, 4))
    fresh = copy.deepcopy(model)
    x = torch.ones(1, 4)
    net(x)
    before = net.state
    result = dycl.check(net, fresh, [(x,), (-x,), (x,)])
    assert result.ok, str(result)
    assert fresh.calls == 0
    assert net.state["calls"] == before["calls"] == 1
    assert torch.equal(net.state["hidden"], before["hidden"])
    fresh(x)
    with pytest.raises(CheckError, match="`hidden`|`calls`"):
        dycl.check(net, fresh, (x,))


def test_a_state_that_differs_is_told():
    model, net = compiled(Memory, torch.ones(1, 4))
    (first, *_) = [s.name for s in net.library.specs]
    wrong = net.with_library(Wrong(net.library, first, 1.5))
    (call,) = dycl.check(wrong, model, (torch.ones(1, 4),)).calls
    assert [leaf.name for leaf in call.left] == ["hidden"]


def test_changed_inputs_and_exceptions_are_compared():
    model, net = compiled(Writes, torch.ones(1, 4))
    x = torch.ones(1, 4)
    result = dycl.check(net, model, [(x,), (-x,)])
    assert result.ok, str(result)
    assert torch.equal(x, torch.ones(1, 4))
    assert result.calls[1].raised == ("ValueError", "ValueError")
    assert "ValueError is raised, as in eager" in str(result)


def test_decisions_on_several_elements():
    model, net = compiled(Masks, torch.ones(1, 3))
    result = dycl.check(net, model, (torch.tensor([[1.25, 1.5, 0.0]]),))
    assert result.ok, str(result)
    some, every = result.margins
    assert (some.comparison.value, some.margin) == (1.5, 0.5)
    assert (every.comparison.value, every.margin) == (0.5, 1.5)
    result = dycl.check(net, model, (torch.tensor([[0.5, 0.75, 9.0]]),))
    assert [m.comparison.value for m in result.margins] == [9.0, 8.0]


def test_a_host_that_errs_is_told_from_its_kernels(gate, x):
    model, net = gate

    class Host:
        def __getattr__(self, name):
            return getattr(net, name)

        def __call__(self, *args):
            p, side = net(*args)
            return [p[0] + 1, p[1]] if isinstance(p, list) else p + 1, side

    (call,) = dycl.check(Host(), model, (x, 0.9)).calls
    assert call.host_differs
    assert not call.ok
    assert call.drift is None
    assert not call.program_differs


def test_another_program_with_the_same_weights_is_told(gate, x):
    model, net = gate

    class Other(Gate):
        def forward(self, x, t):
            p, side = super().forward(x, t)
            return (p * 2, side) if side == "early" else (p, side)

    other = Other().eval()
    other.load_state_dict(model.state_dict())
    (call,) = dycl.check(net, other, (x, 0.0)).calls
    assert call.program_differs
    assert not call.ok
    assert not call.host_differs
    assert "the model is another one" in str(call)


def test_models_that_cannot_be_compared_are_refused(gate, x):
    model, net = gate
    with pytest.raises(CheckError, match="weight `first.weight`"):
        dycl.check(net, Gate().eval(), (x, 0.9))
    with pytest.raises(CheckError, match="no weight `first.weight`"):
        dycl.check(net, Memory().eval(), (x, 0.9))
    with pytest.raises(CheckError, match=r"model\.eval\(\)"):
        dycl.check(net, copy.deepcopy(model).train(), (x, 0.9))
    silent = net.with_python_host()
    silent.program = ""
    with pytest.raises(CheckError, match="does not hold the program"):
        dycl.check(silent, model, (x, 0.9))
    with pytest.raises(dycl.runtime.InputError):
        dycl.check(net, model, (x[:, :4], 0.9))
    for other, kind in ((model, "Gate"), ("net.dycl", "str")):
        with pytest.raises(CheckError, match=f"a {kind} is no compiled network"):
            dycl.check(other, model, (x, 0.9))


def test_numpy_inputs(gate, x):
    model, net = gate
    assert dycl.check(net, model, (x.numpy(), 0.9)).ok


def test_a_tolerance_of_the_users_own(gate, x):
    model, net = gate
    wrong = net.with_library(Wrong(net.library, second_kernel(gate), 1 + 1e-3))
    assert not dycl.check(wrong, model, (x, 0.9)).ok
    assert dycl.check(wrong, model, (x, 0.9), rtol=1e-2).ok
