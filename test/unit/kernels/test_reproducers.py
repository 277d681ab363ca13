"""A step that fails leaves a folder that lowers the same kernel with the same settings.

Whether a step fails may depend on any of them, so here it is one that fails under these
and under no others.
"""

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.diag import CompileError, InternalError
from dycl.kernels.cpu import CpuBackend, lower, opt
from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.nests.split_nests import THREADS
from dycl.kernels.cpu.target import target_of

VEC = "!torch.vtensor<[4],f32>"
TEXT = f"""func.func @kernel(%x: {VEC}) -> {VEC} {{
  %y = torch.aten.relu %x : {VEC} -> {VEC} loc("net.py":2:5)
  return %y : {VEC} loc("net.py":3:5)
}}"""
BACKEND = CpuBackend(
    target="x86-64-v3", threads=2, without=("cpu-winograd",), cache=False
)
FLAGS = "--target x86-64-v3 --threads 2 -d cpu-winograd"
STAGES = "--stage linalg --stage memref --stage llvm"


def _is_asked_for(module: Any) -> bool:
    attributes = module.operation.attributes
    return target_of(module) == "x86-64-v3" and THREADS in attributes


def _fails(module: Any) -> None:
    if _is_asked_for(module):
        ir.Module.parse("not MLIR")


def _crashes(module: Any) -> None:
    if _is_asked_for(module):
        raise AssertionError("no such loop")


def _refuses(module: Any) -> None:
    if _is_asked_for(module):
        raise Refused("is refused", None)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _with_step(monkeypatch: pytest.MonkeyPatch, step: Any) -> None:
    """Let the second stage begin with another step."""
    first, (name, steps), *others = lower.STAGES
    stages = (first, (name, ((step, "for a test"), *steps)), *others)
    monkeypatch.setattr(lower, "STAGES", stages)


def _reproducer(hint: str) -> Path:
    assert hint.startswith("to see it again: sh dycl-crash-")
    return Path(hint.removeprefix("to see it again: sh ")).parent


def test_a_step_that_fails_names_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    _with_step(monkeypatch, _fails)
    with pytest.raises(CompileError, match="lowering to memref failed") as caught:
        BACKEND.compile(TEXT)
    script = (_reproducer(caught.value.hint) / "reproduce.sh").read_text()
    assert f"dycl-kernel-opt input.mlir {FLAGS} {STAGES}\n" in script
    (error,) = BACKEND.check_each([TEXT])
    assert "lowering to memref failed" in str(error)
    CpuBackend(cache=False).compile(TEXT)
    assert CpuBackend().check_each([TEXT]) == [None]


def test_a_step_that_crashes_names_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _with_step(monkeypatch, _crashes)
    with pytest.raises(InternalError, match="AssertionError: no such loop") as caught:
        BACKEND.compile(TEXT)
    folder = _reproducer(str(caught.value).partition("; ")[2])
    assert FLAGS in (folder / "reproduce.sh").read_text()
    assert "_crashes" in (folder / "traceback.txt").read_text()


def test_what_is_refused_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _with_step(monkeypatch, _refuses)
    with pytest.raises(CompileError, match="torch op is refused") as caught:
        BACKEND.compile(TEXT)
    assert caught.value.hint == ""
    assert not list(tmp_path.iterdir())


def test_the_command_lowers_as_the_backend_does(
    torch_text: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    image, weights = torch.rand(1, 64, 28, 28), torch.rand(64, 64, 3, 3)
    text = torch_text(lambda x, w: F.conv2d(x, w, padding=1), image, weights)
    text = text.replace("3,3],f32>)", "3,3],f32> {dycl.weight})", 1)
    Path("input.mlir").write_text(text, encoding="utf-8")

    def lowered(*flags: str) -> str:
        assert opt.main(["input.mlir", *flags, "--print-debuginfo"]) == 0
        return capsys.readouterr().out.strip()

    asked_for = lowered(*FLAGS.split(), *STAGES.split())
    assert asked_for == BACKEND.compile(text).stages()["llvm"].strip()
    for fewer in ("--target x86-64-v3", "--threads 2", "-d cpu-winograd"):
        assert lowered(*FLAGS.replace(fewer, "").split(), *STAGES.split()) != asked_for
