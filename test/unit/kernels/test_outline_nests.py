"""Nests that kernels have in common are compiled once, and found by all of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend, parts
from dycl.kernels.cpu.engine import CpuLibrary

Text = Callable[..., str]
Function = Callable[..., torch.Tensor]

X, W = torch.randn(1, 16, 6, 6), torch.randn(16, 16, 1, 1)


def _shares(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.conv2d(x, w).softmax(-1)


def _logarithms(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return F.conv2d(x, w).log_softmax(-1)


def _library(text: Text, threads: int = 1, **functions: Function) -> CpuLibrary:
    """Kernels of these names and functions."""
    kernels: list[str] = []
    for name, function in functions.items():
        one = text(function, X, W).replace("@kernel", f"@{name}")
        kernels.append(one[one.index("func.func") : one.rindex("}")])
    module = "module {\n" + "\n".join(kernels) + "}\n"
    return CpuBackend(threads=threads).compile(module)


def _nests(library: CpuLibrary) -> dict[str, bytes]:
    return {n: o for n, o in library.objects().items() if n.startswith("nest_")}


def _check(library: CpuLibrary, **functions: Function) -> None:
    for name, function in functions.items():
        result = torch.empty_like(X)
        pointers = [t.data_ptr() for t in (X, W, result)]
        library[name].launch(*pointers)
        torch.testing.assert_close(result, function(X, W), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_nest_of_two_kernels_is_one_object(torch_text: Text, threads: int) -> None:
    both = _library(torch_text, threads, one=_shares, two=_logarithms)
    alone = [
        _library(torch_text, threads, one=_shares),
        _library(torch_text, threads, two=_logarithms),
    ]
    shared, mine, theirs = map(_nests, (both, *alone))
    assert mine
    assert shared == mine == theirs
    _check(both, one=_shares, two=_logarithms)


def test_a_nest_is_compiled_for_one_kernel_and_found_for_the_next(
    torch_text: Text, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path))
    first = _nests(_library(torch_text, one=_shares))
    # A child forgets what it has compiled, and this one could compile none.
    monkeypatch.setattr(parts, "lower_nest", None)
    second = _library(torch_text, two=_logarithms)
    assert _nests(second) == first
    _check(second, two=_logarithms)


def test_settings_are_a_part_of_what_a_nest_is(torch_text: Text) -> None:
    text = torch_text(_shares, X, W)
    one, other = (CpuBackend(opt_level=level).compile(text) for level in (1, 2))
    assert _nests(one)
    assert not _nests(one).keys() & _nests(other).keys()


def test_a_child_without_a_linker_has_them_too(
    torch_text: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = _library(torch_text, one=_shares)

    def refuses(_: Any) -> bytes:
        from dycl.toolchain.link import LinkError

        raise LinkError

    monkeypatch.setattr(CpuLibrary, "shared_object", refuses)
    _check(library, one=_shares)
