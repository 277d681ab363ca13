"""Memory that a kernel needs during a call is its caller's: it allocates nothing."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import dycl
from dycl.kernels.cpu import CpuBackend

Call = Callable[..., list[torch.Tensor]]


def _two_convolutions(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.conv2d(F.relu(F.conv2d(x, w, padding=1)), w, padding=1) + x


def _allocates(llvm: str, kernel: str) -> bool:
    (body,) = re.findall(rf"llvm\.func @{kernel}\(.*?\n  \}}", llvm, re.DOTALL)
    return "@dycl_alloc" in body


SMALL = [
    (_two_convolutions, (torch.randn(1, 20, 9, 9), torch.randn(20, 20, 3, 3) / 9)),
    (lambda x: F.softmax(x @ x.T, 1) @ x, (torch.randn(7, 5),)),
    (lambda x: torch.sort(x.cumsum(0), 0)[0].sum(1), (torch.randn(6, 4),)),
    (lambda x: F.max_pool2d(F.pad(x, (2, 1)), 2), (torch.randn(2, 3, 8, 9),)),
    (lambda x: x.var(1) + x.argmax(1), (torch.randn(3, 40),)),
]


@pytest.mark.parametrize("number", range(len(SMALL)))
def test_kernels_of_known_sizes_do_not_allocate(
    number: int, agree: Callable[..., None], torch_text: Callable[..., str]
) -> None:
    function, tensors = SMALL[number]
    agree(function, *tensors)
    library = CpuBackend().compile(torch_text(function, *tensors))
    assert not _allocates(library.stages()["llvm"], "kernel")


def test_a_workspace_may_be_given(call: Call, torch_text: Callable[..., str]) -> None:
    function, tensors = SMALL[0]
    kernel = CpuBackend().compile(torch_text(function, *tensors))["kernel"]
    assert kernel.workspace > 0
    assert kernel.workspace % 64 == 0
    (wanted,) = call(kernel, *tensors)
    memory = torch.full((kernel.workspace // 4 + 64,), 77.0)
    given = memory[-memory.data_ptr() % 64 // 4 :]
    out = torch.zeros(wanted.shape)
    kernel.bind(*(t.data_ptr() for t in (*tensors, out, given)))()
    assert torch.equal(out, wanted)
    assert (given[kernel.workspace // 4 :] == 77).all()
    assert not (given[: kernel.workspace // 4] == 77).all()


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(20, 20, 3, padding=1), nn.Linear(20, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.one(self.one(x).relu())
        if y.mean() > 0:
            y = self.one(y.sigmoid()).softmax(1)
        return self.two(y.mean((2, 3)))


@pytest.mark.parametrize("host", ["native", "python"])
def test_hosts_and_artifacts_give_kernels_their_workspace(
    host: str, tmp_path: Path
) -> None:
    torch.manual_seed(3)
    net = _Net().eval()
    inputs = [torch.randn(1, 20, 9, 9) * s + s for s in (-1.0, 1.0, -2.0, 2.0)]
    compiled = dycl.compile(net, (inputs[0],), host=host)
    assert any(compiled.library[s.name].workspace for s in compiled.library.specs)
    llvm = compiled.kernel_stages["llvm"]
    for spec in compiled.library.specs:
        assert not _allocates(llvm, spec.name)
    compiled.save(tmp_path / "net.dycl")
    taken: set[Any] = set()
    with torch.no_grad():
        for runs in (compiled, dycl.load(tmp_path / "net.dycl")):
            for x in inputs:
                got = torch.as_tensor(runs(x.numpy()))
                torch.testing.assert_close(got, net(x), rtol=1e-4, atol=1e-5)
                taken |= {d.taken for d in runs.path}
    assert taken == {True, False}
