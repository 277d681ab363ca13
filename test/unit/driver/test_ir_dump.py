"""The files of `--keep` are those of the compilation, and of no trial before it."""

from pathlib import Path

import pytest
import torch
from torch import nn

import dycl
from dycl.driver.ir_dump import IRDump


class Net(nn.Module):
    def helper(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.sum() > 0 else x

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.helper(x)


def test_passes_that_only_ask_for_functions_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, bool]] = []
    write = IRDump.write_pass

    def note(self: IRDump, name: str, module: object) -> None:
        seen.append((name, (tmp_path / "10-source.mlir").exists()))
        write(self, name, module)  # type: ignore[arg-type]

    monkeypatch.setattr(IRDump, "write_pass", note)
    dycl.compile(Net().eval(), (torch.ones(2),), keep=str(tmp_path), cache=False)
    assert any("-round-1" in name for name, _ in seen)
    assert all(behind_source for _, behind_source in seen)
