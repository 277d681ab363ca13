"""A GPU, engines and the processor in one network: values and paths are eager's."""

import gc
import re
import sys
from contextlib import suppress

import numpy as np
import pytest
import torch
from mixed_models import parts, rounds, ways
from test_lent import Exporter, found_in
from test_networks import same

import dycl
from dycl.checking import CheckError
from dycl.diag import CompileError, PassFailed, collect_remarks
from dycl.driver.texts import compile_text
from dycl.runtime import ArtifactError, InputError
from dycl.runtime.cuda import CudaError, driver
from dycl.runtime.engines import EngineKernel
from dycl.runtime.target_members import targets_for_one_row
from dycl.runtime.targets import why_not_here
from dycl.tools import cli

pytest.importorskip("triton")
pytest.importorskip("onnxruntime")
pytest.importorskip("openvino")


def check(net, model, cases):
    """The sides that were taken, of all decisions; values are eager's, and paths are
    those of the processor's own code."""
    ours, sides = dycl.compile(model, cases[0]), set()
    for given in cases:
        same(net(*given), model(*given))
        ours(*given)
        assert [(d.name, d.taken) for d in net.path] == [
            (d.name, d.taken) for d in ours.path
        ]
        sides |= {(d.name, d.taken) for d in net.path}
    assert len(sides) == 2 * len(net.decisions)


def homes(net):
    """Kernel -> who computes it."""
    result = {}
    for spec in net.library.specs:
        kernel = net.library[spec.name]
        is_engine = isinstance(kernel, EngineKernel)
        result[spec.name] = (
            kernel.library.engine.name if is_engine else type(kernel).__name__
        )
    return result


HOSTS = ["native", "python"]
PROCESSORS = ("x86-64-v4", "x86-64-v3")
EACH = [f"cuda+{name}" for name in PROCESSORS]


@pytest.mark.parametrize("make", [parts, rounds])
@pytest.mark.parametrize("backend", ["cuda+cpu", "cuda+openvino+onnxruntime+cpu"])
@pytest.mark.parametrize("host", HOSTS)
def test_values_and_paths(gpu, make, backend, host):
    model, cases = make()
    net = dycl.compile(model, cases[0], backend=backend, verify=True, host=host)
    assert net.host == host
    found = set(homes(net).values())
    assert {"CudaKernel", "CpuKernel", "CopyKernel"} <= found
    assert ("openvino" in found) == ("openvino" in backend)
    check(net, model, cases)
    assert gpu.direct_launches


def test_all_four_by_the_names_on_kernels(gpu):
    model, cases = parts()
    text = dycl.compile(model, cases[0]).stages["hcfg"]
    places = {
        "forward_first": "onnxruntime",
        "forward_step": "cuda",
        "forward_decision_2_else": "openvino",
        "forward_second_then": "cuda",
    }
    for kernel, backend in places.items():
        text, count = re.subn(
            rf"(func.func @{kernel}\(.*attributes {{)",
            rf'\1dycl.backend = "{backend}", ',
            text,
        )
        assert count == 1
    net = compile_text(text, model.state_dict(), verify=True)
    found = homes(net)
    assert {name: found[name] for name in places} == {
        **places,
        **dict.fromkeys(("forward_step", "forward_second_then"), "CudaKernel"),
    }
    assert found["forward_tail"] == "CpuKernel"
    check(net, model, cases)


@pytest.mark.parametrize("host", HOSTS)
def test_copies_are_counted(gpu, host):
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="cuda+cpu", host=host)
    with dycl.profile(net) as profile:
        net(*cases[0])
    rows = {
        (row["kernel"], row["line"]): row["count"]
        for row in profile.data()["launches"]
        if row["kernel"].startswith("copy_to_")
    }
    made = [row for row, count in rows.items() if count]
    asked = net.stages["host"].count("host.launch @copy_to_")
    assert 0 < len(made) < asked, "those of the sides that were not taken were not made"


def test_what_stays_is_copied_once_ahead_of_a_loop(gpu):
    model, cases = rounds()
    net = dycl.compile(model, cases[0], backend="cuda+cpu")
    before, loop, _ = net.host_source.partition("while True:")
    assert loop
    assert '= rt.launch("copy_to_' in before


def test_an_artifact(gpu, tmp_path, capfd):
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="cuda+onnxruntime")
    for name in ("a.dycl", "b.dycl"):
        net.save(tmp_path / name)
    assert (tmp_path / "a.dycl").read_bytes() == (tmp_path / "b.dycl").read_bytes()
    [x] = cases[0]
    for host in HOSTS:
        loaded = dycl.load(tmp_path / "a.dycl", host=host)
        assert loaded.target == "cuda+native"
        assert loaded.host == host
        check(loaded, model, cases)
        found = found_in(gpu, loaded(Exporter(gpu, x.numpy()))[0])
        same(found, model(x)[0])
    assert dycl.load(tmp_path / "a.dycl").host == "native"
    assert cli.run(["show", str(tmp_path / "a.dycl")]) == 0
    assert "needs a GPU" in capfd.readouterr().out
    for checked in (net, loaded):
        with pytest.raises(CheckError, match="compiled for the CPU"):
            dycl.check(checked, model, cases[0])
    net.with_python_host().save(tmp_path / "python.dycl")
    with pytest.raises(ArtifactError, match="no native host"):
        dycl.load(tmp_path / "python.dycl", host="native")
    driver.LIBRARY = "libcuda-that-is-not-there.so.1"
    driver.device.cache_clear()
    with pytest.raises(CudaError, match="DY505"):
        dycl.load(tmp_path / "a.dycl")(*cases[0])


@pytest.mark.parametrize(
    "backend", ["cuda+cpu", "cuda+onnxruntime", "cuda,cpu", "openvino+onnxruntime"]
)
def test_rows_in_an_artifact(gpu, tmp_path, capfd, backend):
    """A GPU computes no number of rows that is dynamic, but what is for one row."""
    model, x = ways()
    net = dycl.compile(model, (x[:1],), backend=backend, rows=True)
    net.save(path := tmp_path / "a.dycl")
    for host in ("python", "auto"):
        loaded = dycl.load(path, host=host)
        for few in (*x.split(1), x[:7], x):
            wanted = torch.cat([model(row) for row in few.split(1)])
            same(loaded(few), wanted)
            sides = [[model.goes_then(row)] for row in few.split(1)]
            assert [[d.taken for d in path] for path in loaded.paths] == sides
        assert [True] in sides
        assert [False] in sides
    is_native = host == "auto" and backend != "cuda,cpu"
    assert loaded.host == ("native" if is_native else "python")
    assert ("cuda" in loaded.single.target) == ("cuda" in backend)
    assert bool(gpu.direct_launches) == ("cuda" in backend)
    assert cli.run(["show", str(path)]) == 0
    assert ("needs a GPU" in capfd.readouterr().out) == ("cuda" in backend)


@pytest.mark.skipif(
    any(map(why_not_here, PROCESSORS)), reason="this processor has no AVX-512"
)
@pytest.mark.parametrize("rows", [True, None])
def test_kernels_of_a_gpu_alone_are_there_once_for_all_processors(gpu, tmp_path, rows):
    model, x = ways()
    chosen = {"backend": "cuda+cpu", "target": PROCESSORS}
    net = dycl.compile(model, (x[:1],), rows=rows, **chosen)
    net.save(path := tmp_path / "a.dycl")
    for target in PROCESSORS if rows else ["cuda"]:
        loaded = dycl.load(path, target=target)
        assert (loaded.single or loaded).target == "cuda"
        for row in x.split(1):
            same(loaded(row), model(row))


@pytest.mark.parametrize(
    ("many", "one", "chosen"),
    [
        ("native", ["cuda", "native"], ["native"]),
        ("native", ["cuda"], ["cuda"]),
        ("x86-64-v3", EACH, ["cuda+x86-64-v3"]),
        ("cuda+native", ["native"], ["native"]),
        ("cuda", EACH, EACH),
        ("native", ["x86-64-v3", "cuda+x86-64-v3"], []),
    ],
)
def test_the_target_for_one_row(many, one, chosen):
    targets = [{"name": name} for name in one]
    found = targets_for_one_row(targets, many)
    assert [target["name"] for target in found] == chosen


@pytest.mark.parametrize("host", HOSTS)
def test_copies_and_kernels_that_fail_are_named(gpu, host):
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="cuda+cpu", host=host)
    gpu.fails["cuMemcpyHtoDAsync_v2"] = 1
    with pytest.raises(CudaError, match=r"@copy_to_cuda \(mixed_models.py:\d+\)"):
        net(*cases[0])
    gpu.fails = {"cuMemcpyDtoDAsync_v2": 1}
    with pytest.raises(CudaError, match=r"@copy_to_cuda \(mixed_models.py:\d+\)"):
        net(Exporter(gpu, cases[0][0].numpy()))
    gpu.fails = {}
    same(net(*cases[0]), model(*cases[0]))
    gpu.fails = {"cuLaunchKernel": 700}
    said = r"@forward_first \(.*mixed_models.py:\d+.*can go on with the CPU"
    with pytest.raises(CudaError, match=said):
        net(*cases[0])


@pytest.mark.parametrize(
    ("breaks", "says"),
    {
        "no memory": ({"cuMemAlloc_v2": 2}, "no memory left: free some of it"),
        "PTX": ({"cuModuleLoadDataEx": 218}, "loading @.*compile the network again"),
        "fork": ({"cuInit": 3}, "forked process"),
    }.values(),
)
@pytest.mark.parametrize("host", HOSTS)
def test_what_a_gpu_cannot_do(gpu, tmp_path, breaks, says, host):
    model, cases = parts()
    dycl.compile(model, cases[0], backend="cuda+cpu").save(tmp_path / "net.dycl")
    driver.device.cache_clear()
    gpu.fails.update(breaks)
    with pytest.raises(CudaError, match=says) as caught:
        dycl.load(tmp_path / "net.dycl", host=host)(*cases[0])
    assert str(caught.value).endswith("(DY505)")
    gpu.fails.clear()
    driver.device.cache_clear()
    same(dycl.load(tmp_path / "net.dycl", host=host)(*cases[0]), model(*cases[0]))


@pytest.mark.parametrize("make", [parts, rounds])
@pytest.mark.parametrize("backend", ["cuda+cpu", "cuda+onnxruntime"])
@pytest.mark.parametrize("host", HOSTS)
def test_tensors_on_the_gpu(gpu, make, backend, host):
    model, cases = make()
    net = dycl.compile(model, cases[0], backend=backend, host=host)
    for given in cases:
        lent = [
            Exporter(gpu, value.numpy(), skip=4 * (i % 2))
            for i, value in enumerate(given)
        ]
        expected = model(*given)
        for result, wanted in zip(net(*lent), expected, strict=True):
            found = found_in(gpu, result) if torch.is_tensor(wanted) else result
            same(found, wanted)
        path = net.path
        same(net(*given), expected)
        assert net.path == path
        assert all(set(one.streams) <= gpu.streams for one in lent)
        for one in lent:
            gpu.live.pop(one.address)


@pytest.mark.parametrize("host", HOSTS)
def test_what_the_gpu_reads_and_makes_does_not_pass_over_the_processor(gpu, host):
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="cuda+cpu", host=host)
    lent = [Exporter(gpu, x.numpy()) for (x,) in cases]
    net(lent[0])
    seen = set()
    gpu.fails["cuMemcpyHtoDAsync_v2"] = 1
    for given in lent:
        sizes = []
        gpu.takes = lambda name, size, to=sizes: to.append(size if not name else 0) or 1
        with suppress(CudaError):  # The processor makes results on the third way.
            net(given)
            names = [decision.name for decision in net.path]
            assert [size for size in sizes if size] == [1] * len(names)
            seen.add(names[-1])
    assert seen == {"exit 1", "second"}


@pytest.mark.parametrize("changes", [{"device": (2, 1)}, {"strides": (1, 2)}])
@pytest.mark.parametrize("host", HOSTS)
def test_what_cannot_be_lent_is_a_sentence(gpu, changes, host):
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="cuda+cpu", host=host)
    with pytest.raises(InputError, match="the input `x` is (on device|not con)"):
        net(Exporter(gpu, np.ones((1, 6), "f4"), **changes))
    same(net(*cases[0]), model(*cases[0]))


def test_an_engine_that_is_missing_where_it_is_loaded(gpu, tmp_path, monkeypatch):
    model, cases = parts()
    dycl.compile(model, cases[0], backend="cuda+onnxruntime").save(tmp_path / "a.dycl")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ArtifactError, match=r"pip install 'dycl\[onnxruntime\]'"):
        dycl.load(tmp_path / "a.dycl")


def test_what_is_in_the_way_of_one_graph_is_told(gpu):
    model, cases = parts()
    with collect_remarks() as remarks:
        said = str(dycl.explain(model, cases[0], backend="cuda+cpu"))
    left = [one for one in remarks if one.what == "not for cuda"]
    assert any("has no template for CUDA" in one.why for one in left)
    assert all(one.at is not None for one in left)
    told = said.partition("not in a CUDA graph:")[2]
    assert "mixed_models.py" in told
    assert "a kernel is computed by cpu" in told


@pytest.mark.parametrize("host", HOSTS)
def test_memory_goes_back(gpu, host):
    model, cases = rounds()
    net = dycl.compile(model, cases[0], backend="cuda+cpu", host=host)
    net(*cases[0])
    assert gpu.live
    del net
    gc.collect()
    assert not gpu.live


def test_where_there_is_no_gpu_a_call_says_so(monkeypatch):
    monkeypatch.setattr(driver, "LIBRARY", "libcuda-that-is-not-there.so.1")
    driver.device.cache_clear()
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="cuda+cpu")
    said = r"\(mixed_models.py:\d+\) is for a GPU: there is no NVIDIA driver"
    with pytest.raises(CudaError, match=said):
        net(*cases[0])
    with pytest.raises(CompileError, match="is for a GPU: there is no NVIDIA driver"):
        net.with_python_host()(*cases[0])
    driver.device.cache_clear()


def test_what_does_not_go_together():
    model, cases = parts()
    with pytest.raises(PassFailed, match="no kernel backend 'cudda'"):
        dycl.compile(model, cases[0], backend="cudda+cpu")
    with pytest.raises(CompileError, match="DY507"):
        dycl.compile(model, cases[0], backend="cuda+cpu", whole_graph=True)
    with pytest.raises(PassFailed, match="run dycl-place-copies"):
        dycl.compile(
            model, cases[0], backend="cuda+cpu", without=("dycl-place-copies",)
        )
