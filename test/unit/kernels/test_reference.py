"""The reference backend runs whole networks, and says what it cannot."""

from importlib.metadata import EntryPoint

import pytest
import torch

import dycl
from dycl import backends
from dycl.diag import PassFailed
from dycl.driver.models import compile_watched
from dycl.driver.texts import compile_text
from dycl.kernels import NoObjectCode
from dycl.kernels.cpu.engine import CpuKernel
from dycl.kernels.joined import JoinedLibrary
from dycl.kernels.reference import ReferenceBackend, ReferenceKernel
from dycl.pipelines import PipelineError
from examples import skip_rnn, variable_length_lstm


@pytest.mark.parametrize(
    "example", [skip_rnn, variable_length_lstm], ids=lambda e: e.__name__
)
def test_networks_give_what_eager_gives(example) -> None:
    model, inputs = example.cases()[0]
    net = dycl.compile(model, inputs[0], backend="reference")
    assert net.host == "python"
    assert "'reference' are not compiled" in net.why_python
    taken: set[tuple[str, bool]] = set()
    for values in inputs:
        with torch.no_grad():
            torch.testing.assert_close(net(*values), model(*values))
        taken |= {(decision.name, decision.taken) for decision in net.path}
    names = {name for name, _ in taken}
    assert taken == {(name, side) for name in names for side in (True, False)}


class Growing(torch.nn.Module):
    """Its result has as many columns as the loop has iterations."""

    def forward(self, x):
        y = x[:, :1]
        while y.sum() < 1:
            y = torch.cat([y, x[:, 1:]], 1)
        return y


def test_results_of_dynamic_size() -> None:
    model = Growing().eval()
    net = dycl.compile(model, (torch.ones(1, 2),), backend="reference")
    for row, size in ([1.0, 1.0], 1), ([0.0, 0.5], 3), ([-1.0, 0.25], 9):
        x = torch.tensor([row])
        assert net(x).shape == (1, size)
        torch.testing.assert_close(net(x), model(x))


class Images(torch.nn.Module):
    """Its kernels hand images on in blocks of channels."""

    def __init__(self):
        super().__init__()
        self.a = torch.nn.Conv2d(16, 32, 3)
        self.b = torch.nn.Conv2d(32, 16, 3)

    def forward(self, x):
        y = self.a(x)
        if y.mean() > 0:
            y = y.relu()
        return self.b(y)


def test_blocked_memory_is_understood(tmp_path) -> None:
    torch.manual_seed(0)
    model, x = Images().eval(), torch.randn(1, 16, 9, 9)
    net = dycl.compile(model, (x,), backend="reference")
    assert "dycl.blocked" in net.stages["host"]
    with torch.no_grad():
        for one in (x, -x, x + 2):
            torch.testing.assert_close(net(one), model(one))
    with pytest.raises(NoObjectCode, match="'reference' are not compiled to code"):
        net.save(tmp_path / "net.dycl")


def marked(text: str, kernel: str, backend: str) -> str:
    """IR with one of its kernels for another backend."""
    before = f"func.func @{kernel}("
    head, body = text.split(before)
    signature, rest = body.split("attributes {dycl.kernel", 1)
    mark = f'attributes {{dycl.backend = "{backend}", dycl.kernel'
    return f"{head}{before}{signature}{mark}{rest}"


@pytest.fixture(scope="module")
def images():
    """The model, its weights, the names of its kernels, and its IR at hcfg and host."""
    torch.manual_seed(0)
    model, x = Images().eval(), torch.randn(1, 16, 9, 9)
    net = dycl.compile(model, (x,))
    names = [spec.name for spec in net.library.specs]
    return model, x, dict(net.weights), names, net.stages


def check(net, model, x) -> None:
    taken = set()
    with torch.no_grad():
        for one in (x, -x, x + 2, x - 2):
            torch.testing.assert_close(net(one), model(one))
            taken |= {decision.taken for decision in net.path}
    assert taken == {True, False}


@pytest.mark.parametrize("level", ["hcfg", "host"])
def test_kernels_choose_their_backend(images, level: str) -> None:
    model, x, weights, names, stages = images
    for name in names:
        net = compile_text(marked(stages[level], name, "reference"), weights)
        kinds = {n: type(net.library[n]) for n in names}
        assert kinds[name] is ReferenceKernel
        assert [*kinds.values()].count(CpuKernel) == len(names) - 1
        assert [spec.name for spec in net.library.specs] == names
        assert "'reference' are not compiled" in net.why_python
        check(net, model, x)
    text = stages[level]
    for name in names[1:]:
        text = marked(text, name, "cpu")
    net = compile_text(text, weights, backend="reference")
    assert [type(net.library[n]) for n in names] == [
        ReferenceKernel,
        *[CpuKernel] * (len(names) - 1),
    ]
    check(net, model, x)


def test_code_of_several_backends_is_linked(images, monkeypatch, tmp_path) -> None:
    model, x, weights, names, stages = images
    point = EntryPoint("theirs", "dycl.kernels.cpu:CpuBackend", "dycl.backends")
    monkeypatch.setattr(backends, "entry_points", lambda group: [point])
    backends.installed.cache_clear()
    try:
        net = compile_text(marked(stages["hcfg"], names[0], "theirs"), weights)
    finally:
        backends.installed.cache_clear()
    assert isinstance(net.library, JoinedLibrary)
    assert net.host == "native"
    check(net, model, x)
    net.save(tmp_path / "net.dycl")
    check(dycl.load(tmp_path / "net.dycl"), model, x)
    assert "theirs-linalg" in net.kernel_stages


@pytest.mark.parametrize("name", ["referense", "cpu+referense", "referense,cpu"])
def test_a_backend_that_is_not_there_is_refused_before_any_work(name) -> None:
    levels: list[str] = []

    def watch(level: str, _: object) -> None:
        levels.append(level)

    model = torch.nn.Linear(2, 2).train()  # which would be refused next
    with pytest.raises(PassFailed, match="there is no kernel backend 'referense'"):
        compile_watched(model, (torch.ones(2),), watch, backend=name)
    assert levels == []


def test_a_kernel_for_a_backend_that_is_not_there(images) -> None:
    _, _, weights, names, stages = images
    with pytest.raises(PassFailed) as caught:
        compile_text(marked(stages["hcfg"], names[1], "referense"), weights)
    said = str(caught.value)
    assert "there is no kernel backend 'referense', which this kernel asks for" in said
    assert "did you mean 'reference'" in said
    assert "use one of: cpu, cuda, iree, onnxruntime, openvino, reference" in said
    assert caught.value.at is not None


def test_views_of_what_is_transposed() -> None:
    """Which tensors have which strides, a kernel does not say."""

    def views(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.flatten(), (x.t() * 2).contiguous().view(-1)

    n = dycl.Dim("n", max=9)
    x = torch.randn(5, 3)
    options = {"backend": "reference", "dynamic_shapes": ({0: n},)}
    net = dycl.compile(views, (x,), **options)
    for given in (x, torch.randn(3, 7).t(), torch.randn(0, 3)):
        assert all(map(torch.equal, net(given), views(given)))


@pytest.mark.parametrize("host", ["native", "python"])
def test_truths_that_are_close(host) -> None:
    def close(x, y):
        return torch.isclose(x, y), torch.isclose(y, x, rtol=2.0)

    x, y = torch.tensor([True, False, True]), torch.tensor([True, True, False])
    backend = {"native": "cpu", "python": "reference"}[host]
    net = dycl.compile(close, (x, y), backend=backend, host=host, cache=False)
    assert all(map(torch.equal, net(x, y), close(x, y)))


def test_unknown_backend_is_refused_with_the_closest() -> None:
    with pytest.raises(PassFailed, match="did you mean 'reference'"):
        dycl.compile(lambda x: x, (torch.ones(1),), backend="referense")


def test_backends_of_other_packages_are_found(monkeypatch) -> None:
    where = "dycl.kernels.reference:ReferenceBackend"
    point = EntryPoint("theirs", where, "dycl.backends")
    monkeypatch.setattr(backends, "entry_points", lambda group: [point])
    backends.installed.cache_clear()
    try:
        net = dycl.compile(lambda x: x + 1, (torch.ones(2),), backend="theirs")
        assert torch.equal(net(torch.ones(2)), torch.full((2,), 2.0))
        monkeypatch.setattr(ReferenceBackend, "OPTIONAL_STEPS", ("slow-down",))
        given = {"backend": "theirs", "without": ("slow-down",)}
        net = dycl.compile(lambda x: x + 1, (torch.ones(2),), **given)
        assert torch.equal(net(torch.ones(2)), torch.full((2,), 2.0))
        with pytest.raises(PipelineError, match="did you mean 'slow-down'"):
            dycl.compile(lambda x: x, (torch.ones(1),), without=("slow-dawn",))
        clash = EntryPoint("cpu", "somewhere:Else", "dycl.backends")
        monkeypatch.setattr(backends, "entry_points", lambda group: [clash])
        backends.installed.cache_clear()
        with pytest.raises(PassFailed, match="two kernel backends are called 'cpu'"):
            backends.installed()
        broken = EntryPoint("broken", "dycl.nowhere:Backend", "dycl.backends")
        monkeypatch.setattr(backends, "entry_points", lambda group: [broken])
        backends.installed.cache_clear()
        with pytest.raises(PassFailed, match="'broken' cannot be loaded: ModuleNotF"):
            dycl.compile(lambda x: x, (torch.ones(1),), backend="broken")
        net = dycl.compile(
            lambda x: x + 1, (torch.ones(1),), without=("cpu-winograd",), cache=False
        )
        assert torch.equal(net(torch.ones(1)), torch.full((1,), 2.0))
    finally:
        backends.installed.cache_clear()
