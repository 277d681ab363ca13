"""The reference backend runs whole networks, and says what it cannot."""

import pytest
import torch

import dycl
from dycl import backends
from dycl.diag import PassFailed
from dycl.kernels import NoObjectCode
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


def test_unknown_backend_is_refused_with_the_closest() -> None:
    with pytest.raises(PassFailed, match="did you mean 'reference'"):
        dycl.compile(lambda x: x, (torch.ones(1),), backend="referense")


def test_backends_of_other_packages_are_found(monkeypatch) -> None:
    from importlib.metadata import EntryPoint

    where = "dycl.kernels.reference:ReferenceBackend"
    point = EntryPoint("theirs", where, "dycl.backends")
    monkeypatch.setattr(backends, "entry_points", lambda group: [point])
    backends.installed.cache_clear()
    try:
        net = dycl.compile(lambda x: x + 1, (torch.ones(2),), backend="theirs")
        assert torch.equal(net(torch.ones(2)), torch.full((2,), 2.0))
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
    finally:
        backends.installed.cache_clear()
