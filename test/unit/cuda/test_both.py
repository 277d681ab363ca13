"""One network with code for a GPU and for processors: what is there decides."""

import re
from pathlib import Path

import pytest
import torch
from segment_models import Prints
from test_networks import Exits, inputs_of_exits, same

import dycl
from dycl.diag import CompileError, PassFailed
from dycl.runtime import ArtifactError
from dycl.runtime.cuda import CudaError, CudaKernels, driver
from dycl.runtime.cuda.kernels import from_json
from dycl.tools import cli

pytest.importorskip("triton")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Compiled where there is no GPU: the model, and the file."""
    driver.device.cache_clear()
    torch.manual_seed(0)
    model, path = Exits().eval(), tmp_path_factory.mktemp("both") / "net.dycl"
    net = dycl.compile(model, (inputs_of_exits()[0],), backend="cuda,cpu")
    assert net.host == "native", "it runs where it was compiled, too"
    check(net, model)
    net.save(path)
    return model, path


def check(net, model):
    """Values as eager's; the paths."""
    paths = []
    for x in inputs_of_exits():
        results = net(x)
        same(results, model(x))
        paths.append(net.path)
    return paths


def test_the_processor_runs_it_where_there_is_no_gpu(saved):
    model, path = saved
    driver.device.cache_clear()
    net = dycl.load(path)
    assert net.target != "cuda"
    assert net.host == "native"
    assert check(net, model) == check(dycl.load(path, host="python"), model)
    with pytest.raises(CudaError, match="DY505"):
        dycl.load(path, target="cuda")(inputs_of_exits()[0])


def test_a_gpu_runs_it_where_there_is_one(saved, graph_gpu):
    model, path = saved
    on_gpu = dycl.load(path)
    assert on_gpu.target == "cuda"
    processor = dycl.load(path, target="native")
    assert processor.host == "native"
    assert check(on_gpu, model) == check(processor, model)
    assert graph_gpu.graph_launches == len(inputs_of_exits())
    graph_gpu.version = 11080
    driver.device.cache_clear()
    assert dycl.load(path).target == "native"


@pytest.mark.parametrize("capability", [(8, 0), (10, 0)], ids=["host", "graph"])
def test_after_a_failure_the_process_goes_on_with_the_processor(
    saved, graph_gpu, capability
):
    """No call of the driver succeeds any more, and nothing tries to use it again."""
    graph_gpu.capability = capability
    model, path = saved
    x = inputs_of_exits()[0]
    on_gpu = dycl.load(path)
    graph_gpu.fails["cuGraphLaunch"] = graph_gpu.fails["cuLaunchKernel"] = 719
    for _ in range(2):
        with pytest.raises(CudaError, match="can go on with the CPU"):
            on_gpu(x)
        graph_gpu.fails.clear()
    check(dycl.load(path, target="native"), model)
    check(dycl.load(path), model)
    check(dycl.compile(model, (x,), backend="cuda,cpu"), model)
    for_others = dycl.compile(model, (x,), backend="cuda")
    for_others.save(path.parent / "for_others.dycl")
    with pytest.raises(CompileError, match="LAUNCH_FAILED of an earlier call; this"):
        for_others(x)
    with pytest.raises(CudaError, match="LAUNCH_FAILED; this process cannot use"):
        dycl.load(path, target="cuda")(x)


def test_errors_after_which_all_calls_fail_are_those_of_the_header():
    import triton

    folder = Path(triton.__file__).parent / "backends/nvidia/include"
    header = (folder / "cuda.h").read_text()
    told = re.findall(
        r"/\*\*((?:(?!\*/).)*)\*/\s*CUDA_ERROR_\w+\s*=\s*(\d+)", header, re.DOTALL
    )
    assert len(told) > 80
    texts = {int(n): " ".join(t.replace("*", " ").split()) for t, n in told}
    lasting = re.compile("must be terminated|cannot be used anymore")
    assert {n for n, text in texts.items() if lasting.search(text)} == driver.STICKY


def test_ptx_that_is_damaged_is_a_sentence(saved, graph_gpu, tmp_path):
    model, x = saved[0], inputs_of_exits()[0]
    net = dycl.compile(model, (x,), backend="cuda")
    net.save(tmp_path / "net", folder=True)
    member = tmp_path / "net" / "cuda" / "kernels.json"
    text = member.read_text()
    member.write_text(text.replace("st.global", "st.glaval", 1))
    with pytest.raises(ArtifactError, match=r"damaged: cuda/kernels\.json"):
        dycl.load(tmp_path / "net")
    codes = from_json(text.replace(".entry", ".ent").encode())
    [name, *_] = [spec.name for spec in net.library.specs]
    with pytest.raises(CudaError, match=r"loading @\w+.*takes the PTX for wrong"):
        CudaKernels(codes)[name]


def test_show_says_what_is_in_it(saved, capfd):
    assert cli.run(["show", str(saved[1])]) == 0
    told = capfd.readouterr().out
    assert "target     cuda, python host; needs a GPU of NVIDIA's" in told
    assert "target     native, native host; needs" in told
    assert "backend=cuda,cpu" in told


def test_a_host_with_segments_runs_on_the_processor(tmp_path, capsys):
    model, given = Prints().eval(), (torch.tensor([1.0, 2.0, 3.0, 4.0]), 0.25)
    driver.device.cache_clear()
    dycl.compile(model, given, backend="cpu,cuda").save(tmp_path / "net.dycl")
    for host in ("python", "native"):
        net = dycl.load(tmp_path / "net.dycl", host=host)
        for rate in (0.25, 9.0):
            expected, (y, n) = model(given[0], rate), net(given[0], rate)
            same(y, expected[0])
            assert n == pytest.approx(expected[1])


def test_other_backends_do_not_go_together():
    with pytest.raises(PassFailed, match="cuda and reference do not go into one"):
        dycl.compile(Exits().eval(), (inputs_of_exits()[0],), backend="cuda,reference")
    with pytest.raises(PassFailed, match="no kernel backend 'cudda'"):
        dycl.compile(Exits().eval(), (inputs_of_exits()[0],), backend="cudda,cpu")
