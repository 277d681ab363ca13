"""Whatever torch-mlir does, the process of the user goes on."""

import ctypes
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import dycl
from dycl.diag import CompileError, CompileErrors
from dycl.kernels.cpu import CpuBackend, building, jit, lower, mlir, unit
from dycl.kernels.cpu.children import Children, Died, in_child
from dycl.kernels.cpu.mlir import ops

VEC = "!torch.vtensor<[4],f32>"
ROW = "!torch.vtensor<[1,4],f32>"
GOOD = f"""func.func @good(%x: {VEC}) -> {VEC} {{
  %y = torch.aten.relu %x : {VEC} -> {VEC} loc("net.py":2:5)
  return %y : {VEC} loc("net.py":3:5)
}} loc("net.py":1:1)
"""
HALF = "!torch.vtensor<[1,4],f16>"
# torch-mlir takes any dim of a scatter for one from the front.
FATAL = f"""func.func @fatal(%x: {HALF}, %i: !torch.vtensor<[1,4],si64>) -> {HALF} {{
  %d = torch.constant.int -1
  %y = torch.aten.scatter.src %x, %d, %i, %x
    : {HALF}, !torch.int, !torch.vtensor<[1,4],si64>, {HALF} -> {HALF}
    loc("net.py":7:5)
  return %y : {HALF} loc("net.py":8:5)
}} loc("net.py":6:1)
"""


def squared(number: int) -> int:
    return number * number


def dies(how: str) -> None:
    os.write(2, b"the last words\nand more\n")
    if how == "abort":
        os.abort()
    if how == "segfault":
        ctypes.string_at(0)
    os._exit(3)


def fails(path: str) -> None:
    Path(path).read_text()


def maybe(number: int) -> int:
    if number % 3 == 0:
        os.abort()
    return number


def test_a_kernel_that_ends_the_compiler_is_a_refusal() -> None:
    with pytest.raises(CompileError) as caught:
        CpuBackend(cache=False).compile(GOOD + FATAL)
    assert caught.value.code == "DY502"
    assert caught.value.what.startswith(
        "kernel @fatal cannot be built: the kernel compiler dies (SIG"
    )
    assert str(caught.value.at) == "net.py:6:1"


def test_each_check_stands_alone() -> None:
    good, fatal, again = CpuBackend().check_each([GOOD, FATAL, GOOD])
    assert good is None
    assert again is None
    assert "the kernel compiler dies" in str(fatal)


def test_stages_of_a_fatal_kernel() -> None:
    with pytest.raises(CompileError, match="the kernel compiler dies"):
        building.stage_texts(FATAL, CpuBackend().settings)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("abort", "SIGABRT, 'the last words'"),
        ("segfault", "SIGSEGV, 'the last words'"),
        ("exit", "exit code 3, 'the last words'"),
    ],
)
def test_how_a_process_died(how: str, why: str) -> None:
    assert in_child(dies, how) == Died(why)


def test_others_go_on_and_what_is_raised_is_raised_here() -> None:
    with Children() as children:
        found = dict(children.each(maybe, [(n,) for n in range(8)], 2))
        assert {n: r for n, r in found.items() if not isinstance(r, Died)} == {
            n: n for n in range(8) if n % 3
        }
        with pytest.raises(FileNotFoundError) as caught:
            children.one(fails, "nowhere")
        assert "in fails" in caught.value.__notes__[0]
        assert children.one(squared, 7) == 49


def test_children_end_with_their_block() -> None:
    with Children() as children:
        results = children.each(time.sleep, [(0,), (60,)], 2)
        assert next(results) == (0, None)
        found = [child.pid for child in children._busy.values()]
        assert found
    for pid in found:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_who_asks_no_more_leaves_nobody_at_work() -> None:
    with Children() as children:
        for number, _ in children.each(time.sleep, [(0,), (60,)], 2):
            assert number == 0
            break
        assert children.one(squared, 3) == 9


def test_a_job_that_takes_too_long_is_ended_and_others_go_on() -> None:
    with Children(2) as children:
        found = dict(children.each(time.sleep, [(60,), (0,), (0,)], 2))
        assert found == {
            0: Died("not finished after 2 s", is_late=True),
            1: None,
            2: None,
        }
        assert children.one(squared, 3) == 9


class Net(torch.nn.Module):
    def forward(self, x):
        x = x.exp() + 1
        return x.tanh() * 2  # fatal


def _aborts_on_tanh(module):
    if any(op.name == "torch.aten.tanh" for op in ops(module.operation)):
        os.abort()


def _aborts_on_two(module):
    if sum(op.name.startswith("torch.aten.") for op in ops(module.operation)) > 1:
        os.abort()


def with_step(monkeypatch, step):
    """Let a step of the first stage be another."""
    (name, steps), *others = lower.STAGES
    stages = ((name, ((step, "for a test"), *steps)), *others)
    monkeypatch.setattr(lower, "STAGES", stages)


def test_the_op_that_ends_the_compiler_is_named_at_its_line(monkeypatch):
    with_step(monkeypatch, _aborts_on_tanh)
    with pytest.raises(CompileErrors) as caught:
        dycl.compile(Net().eval(), (torch.ones(3),), cache=False)
    (error,) = caught.value.errors
    assert error.code == "DY502"
    assert error.what == (
        "torch op aten.tanh has no lowering for these operands: "
        "the kernel compiler dies (SIGABRT)"
    )
    assert "# fatal" in str(error)


def test_ops_that_end_it_together_only_are_a_kernel(monkeypatch):
    with_step(monkeypatch, _aborts_on_two)
    with pytest.raises(CompileError) as caught:
        dycl.compile(Net().eval(), (torch.ones(3),), cache=False)
    assert caught.value.code == "DY502"
    assert "the kernel compiler dies (SIGABRT)" in caught.value.what
    assert caught.value.at is not None
    assert caught.value.at.file.endswith("test_children.py")


def test_a_kernel_that_takes_too_long_is_refused_with_its_lines(monkeypatch):
    with_step(monkeypatch, _sleeps_on_tanh)
    before = time.monotonic()
    with pytest.raises(CompileError) as caught:
        dycl.compile(Net().eval(), (torch.ones(3),), cache=False, kernel_timeout=3)
    assert time.monotonic() - before < 50
    assert caught.value.code == "DY502"
    first, last = (_line(words) for words in ("x = x.exp()", "# fatal"))
    start = "kernel @forward_head cannot be built: the kernel compiler takes too long "
    assert caught.value.what.startswith(
        f"{start}(not finished after 3 s); it has 7 ops, "
    )
    assert caught.value.what.endswith(f"test_children.py:{first}-{last}")
    assert "--kernel-timeout" in str(caught.value)
    assert caught.value.at is not None
    with pytest.raises(ValueError, match="kernel_timeout is 0, not above zero"):
        dycl.compile(Net().eval(), (torch.ones(3),), kernel_timeout=0)


def _sleeps_on_tanh(module):
    if any(op.name == "torch.aten.tanh" for op in ops(module.operation)):
        time.sleep(60)


def _line(words: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if words in line)


def test_no_kernel_of_a_user_is_lowered_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A parse, a pass manager or an engine in this process would fail.

    But for the kernel of our own with which MLIR and LLVM are set up.
    """
    unit.set_up()
    here = os.getpid()

    def elsewhere(function):
        def checked(*given, **named):
            assert os.getpid() != here
            return function(*given, **named)

        return checked

    for module in (mlir, building, unit):
        monkeypatch.setattr(module, "parse", elsewhere(mlir.parse))
    monkeypatch.setattr(lower, "run_passes", elsewhere(mlir.run_passes))
    monkeypatch.setattr(jit, "engine", elsewhere(mlir.engine))
    library = CpuBackend(cache=False).compile(GOOD)
    assert library.stages()["llvm"]
    assert CpuBackend().check_each([GOOD]) == [None]


def sleeps(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    time.sleep(60)


def test_a_child_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    if (user := os.fork()) == 0:
        in_child(sleeps, str(told))
        os._exit(0)
    _wait(lambda: told.exists() and told.read_text() != "")
    child = int(told.read_text())
    os.kill(user, signal.SIGKILL)
    os.waitpid(user, 0)
    _wait(lambda: _is_gone(child))


def _wait(until: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not until():
        assert time.monotonic() < end
        time.sleep(0.01)


def _is_gone(pid: int) -> bool:
    """Whether a process has ended, though perhaps nobody has asked how."""
    try:
        about = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except FileNotFoundError:
        return True
    return about.split()[0] == "Z"
