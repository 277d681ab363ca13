"""A user's lowering makes an operator of theirs, or of torch, compile."""

from importlib.metadata import EntryPoint

import pytest
import torch

import dycl
from dycl import lowerings
from dycl.diag import CompileErrors
from dycl.lowerings import Lowerings
from dycl.tools.cli_doctor import plugins_check
from dycl.universe import PluginError


def _halve(x: torch.Tensor, times: int) -> torch.Tensor:
    return x / 2**times


halve = torch.library.custom_op("dycltest::halve", _halve, mutates_args=())
halve.register_fake(lambda x, times: torch.empty_like(x))


def net(x):
    y = halve(x, 2)
    if y.sum() > 0:
        return torch.ops.dycltest.halve(y, 1)
    return torch.ops.dycltest.halve.default(-y, 3)


@pytest.fixture
def known(monkeypatch) -> Lowerings:
    fresh = Lowerings()
    for module in ("dycl.lowerings", "dycl.analysis.tracing.trace"):
        monkeypatch.setattr(f"{module}.known_lowerings", lambda: fresh)
    name = "dycl.analysis.tensors.memo.known_lowerings"
    monkeypatch.setattr(name, lambda: fresh)
    return fresh


def test_an_operator_without_lowering_says_how_to_give_one(known) -> None:
    with pytest.raises(CompileErrors) as refused:
        dycl.compile(net, (torch.ones(3),))
    first = refused.value.errors[0]
    assert first.what == "torch op dycltest.halve has no lowering"
    assert '@dycl.lowering("dycltest::halve")' in first.hint


def test_an_operator_with_a_lowering_compiles(known) -> None:
    @dycl.lowering("dycltest::halve")
    def _(x, times):
        for _ in range(times):
            x = x * 0.5
        return x

    compiled = dycl.compile(net, (torch.ones(3),))
    for x in (torch.tensor([1.0, 2.0, 5.0]), torch.tensor([-1.0, -8.0, 0.5])):
        assert torch.equal(compiled(x), net(x))
        assert compiled.path[0].taken is bool(halve(x, 2).sum() > 0)


def test_a_lowering_goes_before_what_is_known(known) -> None:
    """Of torch's own op, and also after a compilation without it."""

    def cosine(x):
        return torch.cos(x)

    x = torch.tensor([0.5, 1.0])
    assert torch.allclose(dycl.compile(cosine, (x,))(x), x.cos())

    @dycl.lowering("aten::cos")
    def _(x):
        return x + 7

    assert torch.equal(dycl.compile(cosine, (x,))(x), x + 7)


def test_two_lowerings_of_one_operator_are_refused() -> None:
    known = Lowerings()
    known.add("a::b", _halve)
    known.add("a::b", _halve)
    with pytest.raises(ValueError, match="'a::b' has a lowering already: test"):
        known.add("a::b", torch.nn.functional.relu)
    for name in ("a", "::b", "a::"):
        with pytest.raises(ValueError, match="names no torch op"):
            known.add(name, _halve)


def test_packages_bring_lowerings(monkeypatch, tmp_path, known) -> None:
    (tmp_path / "brings_a_lowering.py").write_text(
        'import dycl\n\n@dycl.lowering("dycltest::halve")\n'
        "def _(x, times):\n    return x * 0.5**times\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("x", "brings_a_lowering", "dycl.lowerings")
    monkeypatch.setattr(lowerings, "entry_points", lambda group: [point])
    lowerings.load_installed.cache_clear()
    try:
        x = torch.tensor([4.0, 8.0])
        assert torch.equal(dycl.compile(net, (x,))(x), net(x))
    finally:
        lowerings.load_installed.cache_clear()


def test_a_package_whose_lowerings_raise_is_named(monkeypatch, tmp_path) -> None:
    (tmp_path / "lowers_badly.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("theirs", "lowers_badly", "dycl.lowerings")
    monkeypatch.setattr(lowerings, "entry_points", lambda group: [point])
    lowerings.load_installed.cache_clear()
    try:
        with pytest.raises(PluginError, match="'theirs' .*: ZeroDivisionError"):
            dycl.compile(net, (torch.ones(2),))
        found = plugins_check()
        assert (found.ok, "'theirs' (lowers_badly)" in found.detail) == (False, True)
    finally:
        lowerings.load_installed.cache_clear()
