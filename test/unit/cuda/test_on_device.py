"""What a GPU has to show, and a driver without one as well: each test is run on both.

`pytest -m gpu test/unit/cuda` runs them on the GPU, with every template; `test_gpu.py`
has the programs of the other tests.
"""

import gc
import json
import re
import subprocess
import sys
from pathlib import Path
from threading import Thread

import mixed_models
import numpy as np
import pytest
import segment_models
import test_selection
import test_templates
import torch
from fake_driver import FakeDriver
from test_dynamic import Adds, Encoder, N, Recurrent
from test_networks import Counts, Exits, inputs_of_exits, same
from test_segments import CASES as SEGMENTS
from torch import nn

import dycl
from dycl.kernels.cuda.backend import codes_of
from dycl.kernels.cuda.building import tiles_of
from dycl.kernels.cuda.tuning import Effort, tune
from dycl.runtime.cuda import CudaError, KernelCode, driver
from dycl.runtime.cuda.kernels import BoundKernel, CudaKernel
from dycl.runtime.cuda.memory import DeviceBuffer, Queue
from dycl.runtime.lent import DeviceArray
from dycl.schedules.cuda_tuning import timings_of

pytest.importorskip("triton")


@pytest.fixture(params=["paper", pytest.param("real", marks=pytest.mark.gpu)])
def where(request, library, monkeypatch):
    """Which of the two it is, and its library."""
    driver.device.cache_clear()
    path = driver.LIBRARY if request.param == "real" else str(library)
    monkeypatch.setattr(driver, "LIBRARY", path)
    made = FakeDriver(library, 1 << 22) if request.param == "paper" else None
    if made is not None:
        made.capability = (10, 0)
    try:
        driver.device()
    except CudaError as error:
        pytest.skip(str(error))
    yield request.param, path
    gc.collect()  # What is left would give its memory back to the next driver.
    driver.device.cache_clear()
    del made


# ---- templates

FEW = ("elementwise-bfloats", "rows-softmax", "contraction-split-depth")
KINDS = {**test_templates._NUMPY, "bf16": "i2"}


def run_kernel(device, program, architecture, inputs):
    """The results of a kernel, as the runtime launches it."""
    [functions] = codes_of([program], architecture)
    arguments = [*program.arguments, *program.results]
    temporaries = tuple(buffer.bytes for buffer in program.temporaries)
    floats = (False,) * len(arguments)
    kernel = CudaKernel(
        device, KernelCode(program.name, "", floats, temporaries, functions)
    )
    queue, buffers = Queue(device), []
    for buffer, value in zip(
        arguments, [*inputs, *(None for _ in program.results)], strict=True
    ):
        dtype = np.dtype(KINDS[buffer.dtype])
        buffers.append(DeviceBuffer(queue, dtype, tuple(buffer.shape)))
        if value is not None:
            buffers[-1].put(test_templates._array(value))
    workspace = DeviceBuffer(queue, np.dtype("u1"), (kernel.workspace,))
    addresses = [one.address for one in (*buffers, workspace)]
    launch = BoundKernel(kernel, queue, addresses)
    for _ in range(3):  # alone, while it is captured, and as a graph
        launch()
    found = []
    for buffer, made in zip(program.results, buffers[len(inputs) :], strict=True):
        value = torch.from_numpy(made.array)
        found.append(value.view(torch.bfloat16) if buffer.dtype == "bf16" else value)
    return found


@pytest.mark.parametrize("architecture", [80, 90])
def test_every_template(where, architecture):
    """On a GPU of 9.0 also as PTX for 9.0, which no other takes."""
    device = driver.device()
    if architecture == 90 and device.capability != 90:
        pytest.skip("PTX for 9.0 runs on 9.0 alone")
    cases = {n: test_templates.CASES[n] for n in FEW}
    if where[0] == "real":
        cases = dict(test_templates.CASES)
        cases |= {f"selection-{n}": case for n, case in test_selection.CASES.items()}
    text = test_templates.text_of
    texts = [text(re.sub(r"\W", "_", n), f, x) for n, (f, *x) in cases.items()]
    tiles = tiles_of("module {\n" + "\n".join(texts) + "}\n", 120)
    wrong = {}
    for (name, (function, *x)), program in zip(
        cases.items(), tiles.programs, strict=True
    ):
        expected = test_templates.EAGER.get(name, function)(*x)
        expected = expected if isinstance(expected, tuple) else (expected,)
        found = run_kernel(device, program, architecture, x)
        for one, other in zip(found, expected, strict=True):
            try:
                torch.testing.assert_close(
                    one, other, rtol=2e-5, atol=2e-5, equal_nan=True
                )
            except AssertionError as error:
                wrong[name] = str(error)
    assert not wrong


# ---- networks


def check(net, model, inputs):
    """Values are eager's, and paths those of the processor's code; all sides."""
    ours, sides = dycl.compile(model, inputs[0]), set()
    for given in [*inputs, *inputs]:
        with torch.no_grad():
            same(net(*given), model(*given))
        ours(*given)
        assert net.path == ours.path
        sides |= {(d.name, d.taken) for d in net.path}
    assert len(sides) == 2 * len({name for name, _ in sides})


def test_dynamic_sizes(where):
    """The first call of a size is run by the host, the second builds its graph."""
    torch.manual_seed(0)
    pairs = [(torch.randn(n, 3),) * 2 for n in (1, 70)]
    rows = [(torch.randn(2, n, 5),) for n in (1, 3, 2, 6, 9)]
    ids = [(torch.randint(30, (1, n)),) for n in (1, 9, 80)]
    kinds = [(Adds, {"x": {0: N}, "y": {0: N}}, pairs)]
    if where[0] == "real":
        kinds += [(Recurrent, {"x": {1: N}}, rows), (Encoder, {"ids": {1: N}}, ids)]
    for kind, shapes, inputs in kinds:
        model = kind().eval()
        net = dycl.compile(model, inputs[0], backend="cuda", dynamic_shapes=shapes)
        with torch.no_grad():
            for given in [*inputs, *inputs]:
                same(net(*given), model(*given))


def test_segments(where, capsys):
    torch.manual_seed(0)
    model, cases = segment_models.Collects().eval(), SEGMENTS[segment_models.Collects]
    net = dycl.compile(model, cases[0], backend="cuda")
    for case in cases:
        capsys.readouterr()
        expected = model(*case)
        printed = capsys.readouterr().out
        same(net(*case), expected)
        assert capsys.readouterr().out == printed


class Narrow(nn.Module):
    """Products and a decision of half floats."""

    def __init__(self, dtype):
        super().__init__()
        self.first, self.second = nn.Linear(20, 17), nn.Linear(17, 7)
        self.to(dtype)

    def forward(self, x):
        y = self.first(x).relu()
        if y.sum() > 40:
            return self.second(y)
        return self.second(y).softmax(-1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_floats(where, dtype):
    torch.manual_seed(0)
    model, x = Narrow(dtype).eval(), torch.randn(17, 20).to(dtype)
    check(dycl.compile(model, (x,), backend="cuda"), model, [(x,), (x / 8,)])


def test_tf32_is_as_far_off_as_it_says(where):
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Linear(64, 40), nn.Linear(40, 9)), torch.randn(18, 64)
    net = dycl.compile(model.eval(), (x,), backend="cuda", matmul_dtype="tf32")
    with torch.no_grad():
        error = float((net(x) - model(x)).abs().max())
    assert 0 < error < 2 * net.narrowing.largest


@pytest.mark.parametrize("make", [mixed_models.parts, mixed_models.rounds])
def test_with_the_processor(where, make):
    model, cases = make()
    check(dycl.compile(model, cases[0], backend="cuda+cpu"), model, cases)


def test_state_weights_and_a_profile(where):
    model = Counts().eval()
    net = dycl.compile(Counts().eval(), (torch.ones(3),), backend="cuda")
    for _ in range(4):
        same(net(torch.full((3,), 0.75)), model(torch.full((3,), 0.75)))
    torch.manual_seed(0)
    model, other, [x, *_] = Exits().eval(), Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (x,), backend="cuda")
    with dycl.profile(net) as profile:
        same(net(x), model(x))
    assert {one["count"] for one in profile.data()["kernels"]} >= {1}
    net.load_weights(other.state_dict())
    same(net(x), other(x))


def test_threads(where):
    torch.manual_seed(0)
    model, inputs = Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (inputs[0],), backend="cuda")
    wrong = []

    def run(x):
        try:
            for _ in range(3):
                same(net(x), model(x))
        except BaseException as error:
            wrong.append(error)

    threads = [Thread(target=run, args=(x,)) for x in inputs[:2]]
    # The driver without a GPU does one thing at a time.
    for thread in threads:
        thread.start()
        if where[0] == "paper":
            thread.join()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("graphs", ["1", "0"])
def test_what_is_lent(where, monkeypatch, graphs):
    """Results of one network are the inputs of the next, and stay on the device."""
    monkeypatch.setenv("DYCL_CUDA_GRAPH", graphs)
    torch.manual_seed(0)
    model, inputs = Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (inputs[0],), backend="cuda")
    relu = dycl.compile(nn.ReLU().eval(), (torch.ones(1, 5),), backend="cuda")
    queue = Queue(driver.device())
    for x in inputs:
        buffer = DeviceBuffer(queue, np.dtype("f4"), (1, 6))
        buffer.put(x.numpy())
        driver.device().synchronize(queue.stream)
        results = net(DeviceArray(buffer))
        assert all(isinstance(one, DeviceArray) for one in results)
        expected = model(x)
        same([torch.from_numpy(np.asarray(one)) for one in results], list(expected))
        again = relu(results[0])
        same(torch.from_numpy(np.asarray(again)), expected[0].relu())


@pytest.mark.gpu
def test_tensors_of_torch():
    """Of another stream, which has not written them yet; nothing goes by the CPU."""
    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    torch.manual_seed(0)
    model, inputs = Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (inputs[0],), backend="cuda")
    stream = torch.cuda.Stream()
    for x in inputs:
        given = torch.zeros(1, 6, device="cuda")
        source = x.cuda()
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(50_000_000)
            given.copy_(source)
            results = net(given)
        assert all(one.is_cuda for one in results)
        same([one.cpu() for one in results], list(model(x)))
        one, other = net(given), net(given)
        assert one[0].data_ptr() != other[0].data_ptr(), "each is the caller's own"


# ---- files and commands


def test_tuning(where, tmp_path):
    torch.manual_seed(0)
    model, x = nn.Linear(300, 20).eval(), torch.randn(2, 300)
    text = dycl.compile(model, (x,), backend="cuda").kernel_stages["torch"]
    timings = tune(text, driver.device(), Effort(plans=3, launches=2, rounds=1))
    (tmp_path / "tuning.json").write_text(timings.to_json())
    assert timings_of(timings.to_json()).device == driver.device().name
    file = tmp_path / "tuning.json"
    net = dycl.compile(model, (x,), backend="cuda", tuning=file)
    same(net(x), model(x))


@pytest.fixture
def saved(tmp_path):
    torch.manual_seed(0)
    model, inputs = Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (inputs[0],), backend="cuda,cpu")
    net.save(tmp_path / "net.dycl")
    np.save(tmp_path / "input.npy", inputs[0].numpy())
    return model, inputs[0], tmp_path


def test_a_file_that_another_process_has_written(where, saved):
    model, x, folder = saved
    net = dycl.load(folder / "net.dycl")
    assert net.target == "cuda"
    same([torch.from_numpy(one) for one in net(x.numpy())], list(model(x)))


@pytest.mark.parametrize("waits", ["1", ""])
def test_a_kernel_that_fails(where, saved, waits):
    """In a process of its own, which has lost the GPU and goes on with the CPU."""
    model, x, folder = saved
    child = Path(__file__).with_name("failing_child.py")
    library = where[1] if where[0] == "paper" else ""
    done = subprocess.run(
        [sys.executable, str(child), str(folder), library, waits],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    first, second, results, target = json.loads(done.stdout)
    for text in (first, second):
        assert "this process cannot use the GPU any more" in text
        assert text.endswith("(DY505)")
    named = r"kernel @forward_first \(.*test_networks\.py:\d+:\d+\)"
    if waits:
        assert re.match(named, first)
    else:
        assert "with DYCL_CUDA_SYNC=1 the error names the kernel" in first
    assert target != "cuda"
    same([torch.tensor(one) for one in results], list(model(x)))
