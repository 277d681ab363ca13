"""Code for another processor than this one: what it is made of."""

import re
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

from dycl import options
from dycl.diag import PassFailed
from dycl.driver.models import compile
from dycl.kernels.cpu import CpuBackend
from dycl.runtime import targets
from dycl.runtime.targets import LEVELS, NATIVE, TARGETS, features_of, why_not_here
from dycl.schedules.schedule import NARROW, WIDE, Registers


def stages(torch_text: Callable[..., str], target: str) -> dict[str, str]:
    text = torch_text(
        lambda x, w: F.relu(F.conv2d(x, w, padding=1)),
        torch.randn(1, 32, 12, 12),
        torch.randn(32, 32, 3, 3),
    )
    return CpuBackend(target=target).compile(text).stages()


@pytest.mark.parametrize("target", LEVELS)
def test_each_function_says_for_which_processor_it_is(
    target: str, torch_text: Callable[..., str]
) -> None:
    llvm = stages(torch_text, target)["llvm"]
    heads = [line for line in llvm.splitlines() if "llvm.func" in line]
    with_body = [line for line in heads if line.rstrip().endswith("{")]
    assert len(with_body) > 1
    assert all(f'target_cpu = "{target}"' in line for line in with_body)


def test_this_processor_needs_no_name(torch_text: Callable[..., str]) -> None:
    assert "target_cpu" not in stages(torch_text, NATIVE)["llvm"]


@pytest.mark.parametrize(
    ("target", "registers"), [("x86-64-v4", WIDE), ("x86-64-v3", NARROW)]
)
def test_sums_fit_the_registers(
    target: str, registers: Registers, torch_text: Callable[..., str]
) -> None:
    memref = stages(torch_text, target)["memref"]
    sums = max(len(re.findall("= ", args)) for args in _carried(memref))
    assert registers.busy <= sums <= registers.sums
    assert sums > NARROW.sums or registers is NARROW


def _carried(memref: str) -> list[str]:
    return re.findall(r"iter_args\(([^)]*)\)", memref)


def test_object_code_keeps_to_the_registers_it_may_use(
    torch_text: Callable[..., str],
) -> None:
    """An instruction on whole vectors of AVX-512 begins with the byte 62."""
    text = torch_text(
        lambda x, w: F.conv2d(x, w), torch.randn(1, 16, 9, 9), torch.randn(16, 16, 3, 3)
    )
    code = {t: CpuBackend(target=t).compile(text).shared_object() for t in LEVELS}
    counts = {t: made.count(b"\x62") / len(made) for t, made in code.items()}
    assert counts["x86-64-v4"] > 5 * counts["x86-64-v3"]


def test_a_level_has_the_features_of_the_one_below() -> None:
    assert set(features_of("x86-64-v3")) < set(features_of("x86-64-v4"))
    assert TARGETS == options.TARGETS == (NATIVE, "x86-64-v4", "x86-64-v3")
    assert why_not_here(NATIVE) == ""


def test_why_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "cpu_features", lambda: features_of("x86-64-v3"))
    monkeypatch.setattr(targets, "triple", lambda: "x86_64-linux")
    assert why_not_here("x86-64-v3") == ""
    assert why_not_here("x86-64-v4") == (
        "this processor lacks avx512bw, avx512cd, avx512dq, avx512f, avx512vl"
    )
    monkeypatch.setattr(targets, "triple", lambda: "aarch64-linux")
    assert why_not_here("x86-64-v3") == "this machine is aarch64-linux"


def test_compile_refuses_what_cannot_run_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "cpu_features", lambda: features_of("x86-64-v3"))
    monkeypatch.setattr(targets, "triple", lambda: "x86_64-linux")
    with pytest.raises(PassFailed, match="this processor lacks avx512bw"):
        compile(torch.nn.Linear(3, 3).eval(), (torch.randn(1, 3),), target="x86-64-v4")
    with pytest.raises(ValueError, match="not one of native, x86-64-v4, x86-64-v3"):
        options.CompileOptions(target="pentium")


@pytest.mark.each_target
def test_a_network_for_each_processor(target: str) -> None:
    model = torch.nn.Sequential(torch.nn.Conv2d(20, 24, 3), torch.nn.ReLU()).eval()
    x = torch.randn(2, 20, 9, 9)
    for host in ("native", "python"):
        net = compile(model, (x,), target=target, host=host)
        torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-5)
