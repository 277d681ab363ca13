"""PTX: by Triton in children, kept by the text of its function, for CUDA 12.0 on."""

import os
from dataclasses import replace

import pytest
from test_graph import CASES
from test_networks import Loop, same

import dycl
from dycl.diag import CompileError
from dycl.kernels.cpu.children import Children
from dycl.kernels.cuda import ptx
from dycl.kernels.cuda.tile.program import Buffer, Function
from dycl.runtime.cuda import CudaError, driver
from dycl.schedules.cuda_model import Launch

pytest.importorskip("triton")


def function(number=1, **changes):
    """A function of one block, which adds a number to 32 elements."""
    buffers = (Buffer("x", (32,), "f32"), Buffer("y", (32,), "f32"))
    lines = (
        "    i = tl.arange(0, 32)",
        f"    tl.store(y + i, tl.load(x + i) + {number})",
    )
    made = Function("adds", buffers, 1, lines, (), 1, Launch(warps=1), ("net.py:7",))
    return replace(made, **changes)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty one."""
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path))


@pytest.mark.usefixtures("cache")
def test_what_is_compiled_once_is_found_by_its_text(monkeypatch):
    [made] = ptx.compiled([function()], 80)

    class Asked(Exception):
        pass

    class Nobody(Children):
        def each(self, function, jobs, most):
            if jobs:
                raise Asked
            return iter(())

    monkeypatch.setattr(ptx, "Children", Nobody)
    # The user's lines and what is expected of it are comments.
    for same_text in (function(), function(places=("a.py:1",), expected="3 us")):
        assert ptx.compiled([same_text, same_text], 80) == [made, made]
    others = [function(2), function(launch=Launch(warps=2)), function(name="more")]
    for other, architecture in [*((one, 80) for one in others), (function(), 90)]:
        with pytest.raises(Asked):
            ptx.compiled([other], architecture)
    with pytest.raises(Asked):
        ptx.compiled([function()], 80, use_cache=False)
    monkeypatch.setattr(ptx, "_PTX_VERSION", 81)
    with pytest.raises(Asked):
        ptx.compiled([function()], 80)


@pytest.mark.usefixtures("cache")
def test_where_triton_ends_its_process_ours_goes_on(monkeypatch):
    monkeypatch.setattr(ptx, "Children", Children)
    with monkeypatch.context() as patch:
        patch.setattr(ptx, "_compile", lambda *given: os.abort())
        with pytest.raises(CompileError, match="kernel @adds cannot be built") as dead:
            ptx.compiled([function(3)], 80)
    assert dead.value.code == "DY502"
    assert "SIGABRT" in str(dead.value)
    assert "net.py:7" in str(dead.value)
    with pytest.raises(CompileError, match="Triton takes it for wrong: .*nothing"):
        ptx.compiled([function(lines=("    tl.store(y, nothing)",))], 80)
    assert ptx.compiled([function(3)], 80)[0].text.startswith(".version 8.0")


@pytest.mark.parametrize(
    ("capability", "version"),
    [((8, 0), 12000), ((8, 9), 12000), ((9, 0), 12000), ((12, 0), 12080)],
)
def test_drivers_from_cuda_12_on_take_all_of_a_network(gpu, capability, version):
    """By the host, and as a graph; the driver takes no PTX that is newer than it."""
    gpu.capability, gpu.version = capability, version
    model, cases = Loop().eval(), CASES[Loop]
    net = dycl.compile(model, cases[0], backend="cuda")
    for case in cases:
        same(net(*case), model(*case))
    assert bool(gpu.graph_launches) == (version == 12080)


def test_a_driver_does_not_take_newer_ptx(gpu, tmp_path, monkeypatch):
    case = CASES[Loop][0]
    dycl.compile(Loop().eval(), case, backend="cuda").save(tmp_path / "net.dycl")
    load = driver.Device.load
    for old, new, says in (
        (".version 8.0", ".version 8.8", "UNSUPPORTED_PTX_VERSION; the driver is too"),
        ("sm_80", "sm_90a", "NO_BINARY_FOR_GPU; the driver has no code for this GPU"),
    ):
        monkeypatch.setattr(
            *(driver.Device, "load"),
            lambda self, text, *rest, to=(old, new): load(
                self, text.replace(*to), *rest
            ),
        )
        with pytest.raises(CudaError, match=says):
            dycl.load(tmp_path / "net.dycl")(*(value.numpy() for value in case))
