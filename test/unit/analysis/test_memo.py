"""What torch said of an op is found again, and never for another question."""

import importlib
import linecache
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import dycl
from dycl.analysis.tensors import fakes, transfer
from dycl.analysis.tensors.memo import (
    Disk,
    Memo,
    is_settled,
    kept_in,
    note_failure,
)
from dycl.analysis.tracing import trace
from dycl.support.plain_data import Format
from dycl.support.store import Store

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4))

    def forward(self, x):
        y = torch.relu(self.layers(x))
        if y.mean() > 0.25:
            return y.sum(dim=(2, 3))
        return y.amax(dim=(2, 3)) TIMES
"""
X = torch.randn(1, 2, 6, 6, generator=torch.Generator().manual_seed(1))


@pytest.fixture(autouse=True)
def _empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Nothing is remembered, in the process or on disk."""
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path / "cache"))
    forget()
    yield
    forget()


def forget() -> None:
    """As a new process."""
    for answers in (transfer.OUTCOMES, trace.TRACES):
        answers.known.clear()


def written(times: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The network as a module of the user's."""
    (folder / "dycl_user_net.py").write_text(NET.replace("TIMES", times))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "dycl_user_net", raising=False)
    linecache.clearcache()
    return importlib.import_module("dycl_user_net")


def compiled(module: ModuleType, **options: Any) -> Any:
    torch.manual_seed(0)
    return dycl.compile(module.Net().eval(), (X,), **options)


def test_after_an_edit_torch_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiled(written("* 2", tmp_path, monkeypatch))
    forget()
    edited = written("", tmp_path, monkeypatch)
    with monkeypatch.context() as patched:
        patched.setattr(fakes, "fake_mode", lambda: pytest.fail("torch is asked"))
        net = compiled(edited)
    forget()
    alone = compiled(edited, cache=False)
    assert list(net.stages.items()) == list(alone.stages.items())
    assert net.host_source == alone.host_source
    torch.manual_seed(0)
    model = edited.Net().eval()
    ways: set[tuple[object, ...]] = set()
    for scale in (50.0, 0.0):
        with torch.no_grad():
            torch.testing.assert_close(net(X * scale), model(X * scale))
        ways.add(tuple(net.path))
    assert len(ways) == 2


def test_what_is_remembered_is_compared_when_every_pass_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    net = written("* 2", tmp_path, monkeypatch)
    compiled(net)
    forget()
    compiled(net, verify=True)
    forget()
    for path in (tmp_path / "cache" / "answers").glob("*/*"):
        store = Store(tmp_path / "cache" / "answers")
        store.put(path.parent.name + path.name, Format().to_bytes("wrong"))
    with pytest.raises(dycl.diag.InternalError, match="remembered wrongly"):
        compiled(net, verify=True)


def test_equal_sets_in_another_order_are_no_other_answer(tmp_path: Path) -> None:
    """A set is written in the order in which it was filled, where hashes collide."""
    answers: Memo[frozenset[int]] = Memo("kind", 8, Format())
    disk = Disk(Store(tmp_path), "1", compare=True)
    for order in ((0, 8), (8, 0)):
        answers.known.clear()
        with kept_in(disk):
            assert answers.get("key", partial(frozenset, order)) == {0, 8}
    assert repr(frozenset((0, 8))) != repr(frozenset((8, 0)))


class Halves(torch.nn.Module):
    """Of a tensor of ints: what division gives is of torch's default dtype."""

    def forward(self, x: Any) -> Any:
        y = x / 3
        return y + 1 if y.sum() > 0 else y * 2


@pytest.mark.parametrize("cache", [True, False])
def test_what_is_set_in_torch_is_part_of_the_question(cache: bool) -> None:
    """Two compilations in one process gave one dtype."""
    model, x = Halves().eval(), torch.arange(1, 5)
    try:
        for dtype in (torch.float32, torch.float64, torch.float32):
            torch.set_default_dtype(dtype)
            net = dycl.compile(model, (x,), cache=cache)
            for given in (x, -x):
                assert net(given).dtype == dtype
                torch.testing.assert_close(net(given), model(given))
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("GlobalRef(name='torch.relu')", True),
        ("('torch.nn.modules.conv.Conv2d', ('padding', ('int', '1')))", True),
        ("IntegerType(64, Signedness.SIGNED)", True),
        ("1.5e-05, 0.5, -inf", True),
        ("RecordType(path='collections.Pair')", True),
        ("GlobalRef(name='mine.relu')", False),
        ("GlobalRef(name='__main__.relu')", False),
        ("RecordType(path='net.Pair')", False),
        ("GlobalRef(name='torch.ops.aten.relu')", True),
        ("GlobalRef(name='torch.ops.mine.relu')", False),
    ],
)
def test_what_the_user_named_is_not_settled(text: str, settled: bool) -> None:
    assert is_settled(text) == settled


class Asked:
    """Counts how often it is asked."""

    def __init__(self, error: Exception | None = None):
        self.count = 0
        self.error = error

    def __call__(self) -> str:
        """An answer; "failed" if there is an error."""
        self.count += 1
        if self.error is None:
            return "answer"
        note_failure(self.error)
        return "failed"


@pytest.mark.parametrize(
    ("error", "times"),
    [
        (None, 1),
        (RuntimeError("shapes differ"), 1),
        (MemoryError(), 2),
        (RecursionError(), 2),
        (FileNotFoundError(), 2),
    ],
)
def test_an_error_that_may_pass_is_not_kept(
    error: Exception | None, times: int, tmp_path: Path
) -> None:
    asked = Asked(error)
    with kept_in(Disk(Store(tmp_path), "1")):
        for _ in range(2):
            one = Memo[str]("test", 8, Format())
            assert one.get("key", asked) == one.get("key", asked)
    assert asked.count == times


def test_versions_kinds_and_damage_ask_again(tmp_path: Path) -> None:
    asked = Asked()

    def ask(kind: str, versions: str) -> int:
        before = asked.count
        with kept_in(Disk(Store(tmp_path), versions)):
            assert Memo[str](kind, 8, Format()).get("key", asked) == "answer"
        return asked.count - before

    assert [ask("a", "1"), ask("a", "1"), ask("a", "2"), ask("b", "1")] == [1, 0, 1, 1]
    for path in tmp_path.glob("*/*"):
        path.write_bytes(path.read_bytes()[:-1])
    assert ask("a", "1") == 1
    assert ask("a", "1") == 0
    for path in tmp_path.glob("*/*"):
        Store(tmp_path).put(path.parent.name + path.name, b"of another form")
    assert ask("a", "1") == 1
    assert ask("a", "1") == 0


def test_an_answer_without_a_form_is_asked_again(tmp_path: Path) -> None:
    with kept_in(Disk(Store(tmp_path), "1")):
        for _ in range(2):
            assert Memo[object]("kind", 8, Format()).get("key", Asked) is not None
    assert list(tmp_path.glob("*/*")) == []


class First:
    """An operator that eager raises for."""

    def __add__(self, other: object) -> Any:
        return NotImplemented


class Second(First):
    """Another one."""


class Adds(torch.nn.Module):
    """What is added is in the same attribute, whatever it is."""

    def __init__(self, value: object):
        super().__init__()
        self.value = value

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.value + x


def test_nothing_is_remembered_of_an_object_of_another_model() -> None:
    for value in (First(), Second(), First()):
        words = f"'{type(value).__name__}' and 'Tensor'"
        with pytest.raises(dycl.CompileError, match=words):
            dycl.compile(Adds(value).eval(), (X,))
