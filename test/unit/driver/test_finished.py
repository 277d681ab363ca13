"""A network that was compiled before is found whole, and no other one."""

import json
import multiprocessing
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.driver import compilation, finished, program_cache

X = (torch.ones(1, 4),)


class Net(nn.Module):
    """One decision; a number and an entry of a dict that the code mentions."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.fc = nn.Linear(4, 4)
        self.limit = 0.5
        self.settings = {"scale": 2.0}

    def forward(self, x: torch.Tensor, more: bool = False) -> Any:
        """Two ways out."""
        x = self.fc(x)
        if x.max() > self.limit:
            return {"early": x * self.settings["scale"]}
        return {"late": x, "more": more}


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty cache, in use."""
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compilation, "key_of", program_cache.key_of)


class Heard:
    """Which stages there were."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def stage_started(self, name: str) -> None:
        """Note it."""
        self.names.append(name)

    def stage_done(self, *_: object) -> None:
        """Nothing."""

    def step_done(self, *_: object) -> None:
        """Nothing."""


WHOLE = ["source", "host", "kernels", "native host", "weights"]


def compiled(model: nn.Module | None = None, **options: Any) -> tuple[Any, bool]:
    """The network, and whether all of it was in the cache."""
    heard = Heard()
    chosen = (model or Net()).eval()
    net = dycl.compile(chosen, options.pop("inputs", X), listener=heard, **options)
    assert "hcfg" in heard.names or heard.names in (WHOLE, [*WHOLE[:3], WHOLE[-1]])
    return net, "hcfg" not in heard.names


@pytest.mark.parametrize("options", [{}, {"host": "python"}, {"threads": 2}])
def test_it_is_the_same_network(tmp_path: Path, options: dict[str, Any]) -> None:
    nets = [compiled(kwargs={"more": True}, **options) for _ in range(2)]
    assert [found for _, found in nets] == [False, True]
    (one, _), (two, _) = nets
    for name in ("stages", "host_source", "outputs", "graph", "program", "options"):
        assert getattr(one, name) == getattr(two, name), name
    assert one.signature.data == two.signature.data
    assert repr(one) == repr(two)
    assert one.kernel_stages == two.kernel_stages
    for at, net in (("one", one), ("two", two)):
        net.save(tmp_path / at)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    model = Net().eval()
    with torch.no_grad():
        for scale in (-9.0, 9.0):
            x = X[0] * scale
            assert str(two(x, more=True)) == str(one(x, more=True))
            torch.testing.assert_close(two(x, more=True), model(x, more=True))


def test_whatever_decides_is_a_miss() -> None:
    assert not compiled()[1]
    assert compiled()[1]
    limit, entry = Net(), Net()
    limit.limit = 0.25
    entry.settings["scale"] = 3.0
    assert not compiled(limit)[1]
    assert not compiled(entry)[1]
    assert not compiled(inputs=(torch.ones(2, 4),))[1]
    assert not compiled(kwargs={"more": False})[1]
    assert not compiled(host="python")[1]
    assert not compiled(max_iterations=7)[1]
    assert not compiled(target="x86-64-v3")[1]
    assert not compiled(cache=False)[1]
    assert not compiled(profile=[X])[1]
    assert compiled()[1]


def test_weights_are_those_of_the_model() -> None:
    compiled()
    other = Net()
    with torch.no_grad():
        other.fc.weight.mul_(3)
    net, found = compiled(other)
    assert found
    with torch.no_grad():
        torch.testing.assert_close(net(*X), other(*X))
    assert np.array_equal(net.weights["fc.weight"], other.fc.weight.detach().numpy())


def test_a_number_that_becomes_a_weight_is_one_of_the_model() -> None:
    """A tensor that is no parameter is bound, too; its value is not in the text."""

    class Table(nn.Module):
        def __init__(self, value: float) -> None:
            super().__init__()
            self.table = torch.full((4,), value)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + self.table

    for value in (1.0, 2.0):
        net, _ = compiled(Table(value))
        assert net(*X).tolist() == [[1 + value] * 4]


def _entries(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "cache" / "networks"
    return [path for path in folder.glob("??/*") if path.is_file()]


def test_what_is_damaged_is_made_anew(tmp_path: Path) -> None:
    first, _ = compiled()
    [entry] = _entries(tmp_path)
    whole = entry.read_bytes()
    for damaged in (b"", whole[:-9], whole[:50] + b"\0" + whole[51:]):
        entry.write_bytes(damaged)
        net, found = compiled()
        assert not found
        assert net.host_source == first.host_source
    assert compiled()[1]


def test_what_is_no_network_is_not_found(tmp_path: Path) -> None:
    """Its digest is right: it may have been written by another version."""
    compiled()
    networks = finished.Networks()
    [entry] = _entries(tmp_path)
    key = entry.parent.name + entry.name
    known = networks.get(key)
    assert known is not None
    for data in (b"", b"[]", b"[7]", json.dumps([["dict"], [0]]).encode()):
        networks.store.put(key, zlib.compress(data))
        assert networks.get(key) is None
        networks.store.put(key, data)
        assert networks.get(key) is None
    for changed in ({"graph": {}}, {"stages": {"host": 1}}, {"host_source": None}):
        fields = {**vars(known), **changed}
        bad = object.__new__(finished.Finished)
        for name, value in fields.items():
            object.__setattr__(bad, name, value)
        networks.put(key, bad)
        assert networks.get(key) is None, changed
    assert not compiled()[1]


def test_kernels_and_hosts_may_be_gone(tmp_path: Path) -> None:
    first, _ = compiled()
    for kind in ("kernels", "modules", "hosts"):
        for path in (tmp_path / "cache" / kind).glob("??/*"):
            path.unlink()
    net, found = compiled()
    assert found
    assert net.codes[0].native.code == first.codes[0].native.code


def test_where_nothing_links_decisions_run_in_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert compiled()[0].host == "native"
    monkeypatch.setattr("dycl.toolchain.link.find_compiler", lambda: None)
    net, found = compiled()
    assert (net.host, found) == ("python", False)
    assert "no C compiler" in net.why_python
    monkeypatch.undo()


def _race(barrier: Any, said: Any) -> None:
    compilation.key_of = program_cache.key_of
    barrier.wait(60)
    net, _ = compiled()
    said.put(str(net(*X)))


def test_two_processes_race() -> None:
    """Both find no entry, write it, and are right."""
    context = multiprocessing.get_context("fork")
    barrier, said = context.Barrier(2), context.Queue()
    both = [context.Process(target=_race, args=(barrier, said)) for _ in range(2)]
    for one in both:
        one.start()
    answers = [said.get(timeout=120) for _ in both]
    for one in both:
        one.join(60)
    net, found = compiled()
    assert found
    assert answers == [str(net(*X))] * 2
