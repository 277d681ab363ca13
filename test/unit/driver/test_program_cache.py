"""A program that was compiled before is found again, and no other one."""

import importlib
import linecache
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import dycl
from dycl.diag import CompileErrors
from dycl.driver import compilation, program_cache

NET = """
import torch
from torch import nn


class Net(nn.Module):
    limit = 0.5

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.steps = 2

    def forward(self, x):
        for _ in range(self.steps):
            x = torch.relu(self.fc(x))
            if x.max() > self.limit:
                return {"early": x * 2}
        return {"late": x}
"""
INPUTS = (torch.zeros(1, 4),)


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty cache, in use; the suite's other tests do without."""
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compilation, "key_of", program_cache.key_of)


@pytest.fixture(name="net")
def _net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return written(NET, tmp_path, monkeypatch)


def written(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The text as a module of the user's."""
    (folder / "dycl_user_net.py").write_text(text)
    # Within a second and of one size: Python's own cache would not notice an edit.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "dycl_user_net", raising=False)
    linecache.clearcache()
    return importlib.import_module("dycl_user_net")


class Heard:
    """Which stages there were; where they came from."""

    def __init__(self) -> None:
        self.details: dict[str, str] = {}

    def stage_started(self, name: str) -> None:
        """Nothing."""

    def stage_done(self, name: str, seconds: float, detail: str) -> None:
        """Note it."""
        self.details[name] = detail

    def step_done(self, *_: object) -> None:
        """Nothing."""


def compiled(module: ModuleType, **options: Any) -> tuple[Any, bool]:
    """The network, and whether its program was in the cache."""
    torch.manual_seed(0)
    heard = Heard()
    model = module.Net().eval()
    inputs = options.pop("inputs", INPUTS)
    found = dycl.compile(model, inputs, listener=heard, **options)
    at = "host" if "hcfg" not in heard.details else "hcfg"
    from_cache = heard.details[at].endswith("from the cache")
    assert from_cache == ("normal" not in heard.details)
    return found, from_cache


def test_it_is_the_same_network(net: ModuleType, tmp_path: Path) -> None:
    first, found = compiled(net)
    assert not found
    second, found = compiled(net)
    assert found
    assert list(first.stages) == ["source", "normal", "typed", "hcfg", "host"]
    assert list(second.stages.items()) == list(first.stages.items())
    assert second.host_source == first.host_source
    assert second.outputs == first.outputs
    assert second.graph == first.graph
    for number, one in enumerate((first, second)):
        one.save(tmp_path / f"{number}.dycl")
    saved = [(tmp_path / f"{number}.dycl").read_bytes() for number in (0, 1)]
    assert saved[0] == saved[1]


def test_it_is_equal_to_eager(net: ModuleType) -> None:
    compiled(net)
    torch.manual_seed(0)
    model = net.Net().eval()
    again = dycl.compile(model, INPUTS)
    ways: set[str] = set()
    for seed in range(40):
        x = torch.randn(1, 4, generator=torch.Generator().manual_seed(seed))
        with torch.no_grad():
            wanted = model(x)
        got = again(x)
        assert got.keys() == wanted.keys()
        ways |= got.keys()
        for key, value in wanted.items():
            torch.testing.assert_close(got[key], value)
    assert ways == {"early", "late"}


def test_another_process_finds_it(net: ModuleType, tmp_path: Path) -> None:
    """And imports nothing of torch's that only tracing needs."""
    compiled(net)
    script = (
        "import sys, torch, dycl; from dycl_user_net import Net\n"
        "net = dycl.compile(Net().eval(), (torch.zeros(1, 4),))\n"
        "print('torch._dynamo' in sys.modules, 'sympy' in sys.modules)\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("limit = 0.5", "limit = 0.7"),
        ("self.steps = 2", "self.steps = 3"),
        ("x * 2", "x * 3"),
        ("class Net", "\nclass Net"),  # places lead to other lines
        ("nn.Linear(4, 4)", "nn.Linear(4, 4, bias=False)"),
        ("limit = 0.5", "limit = 0.5; other = 1"),  # no function reads it
    ],
)
def test_an_edit_is_a_miss(
    net: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    old: str,
    new: str,
) -> None:
    compiled(net)
    edited = written(NET.replace(old, new), tmp_path, monkeypatch)
    after, found = compiled(edited)
    assert not found
    alone, _ = compiled(edited, cache=False)
    assert after.stages == alone.stages


def test_what_else_decides_is_a_miss(
    net: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled(net)
    assert not compiled(net, inputs=(torch.zeros(2, 4),))[1]
    assert not compiled(net, max_trip_count=10)[1]
    assert not compiled(net, without=("dycl-share-kernels",))[1]
    monkeypatch.setattr(net.Net, "extra", 1, raising=False)
    assert not compiled(net)[1]


def test_what_a_class_inherits_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("dycl_base")
    base = type("Base", (), {"__module__": "dycl_base"})
    monkeypatch.setitem(sys.modules, "dycl_base", module)
    user = written(NET, tmp_path, monkeypatch)
    monkeypatch.setattr(user, "Derived", type("Derived", (base,), {}), raising=False)
    text = '"dycl_user_net.Derived"'
    before = program_cache.key_of(text, "")
    assert before == program_cache.key_of(text, "")
    with monkeypatch.context() as torch_does_this:
        torch_does_this.setattr(torch.nn.Module, "__late", 1, raising=False)
        net = program_cache.key_of('"dycl_user_net.Net"', "")
    assert net == program_cache.key_of('"dycl_user_net.Net"', "")
    monkeypatch.setattr(base, "late", 1, raising=False)
    assert program_cache.key_of(text, "") != before


def test_state_of_torch_and_our_sources_decide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys = [
        program_cache.key_of("source", "passes"),
        program_cache.key_of("source", "other"),
    ]
    torch.set_default_dtype(torch.float64)
    try:
        keys.append(program_cache.key_of("source", "passes"))
    finally:
        torch.set_default_dtype(torch.float32)
    monkeypatch.setattr(program_cache, "versions", lambda: "another")
    keys.append(program_cache.key_of("source", "passes"))
    assert len(set(keys)) == 4


def test_what_has_no_text_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    typed_in = ModuleType("dycl_typed_in")
    monkeypatch.setitem(sys.modules, "dycl_typed_in", typed_in)
    assert program_cache.key_of('"dycl_typed_in.Net"', "") is None
    assert program_cache.key_of('"torch.ops.mine.twice.default"', "") is None
    assert program_cache.key_of('"torch.ops.aten.relu.default"', "") is not None
    assert program_cache.key_of('"torch.nn.Linear" "collections.deque"', "") is not None


def test_who_watches_sees_every_pass(net: ModuleType, tmp_path: Path) -> None:
    compiled(net)
    assert not compiled(net, keep=tmp_path / "story")[1]
    assert not compiled(net, verify=True)[1]
    assert not compiled(net, cache=False)[1]
    explanation = dycl.explain(net.Net().eval(), INPUTS)
    assert "2 decisions" in str(explanation)


def test_a_refused_program_is_refused_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = NET.replace("x.max() > self.limit", "x.max() > self.limits")
    net = written(text, tmp_path, monkeypatch)
    for _ in range(2):
        with pytest.raises(CompileErrors, match="limits"):
            compiled(net)
