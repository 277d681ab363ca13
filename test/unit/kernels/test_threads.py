"""Threads share the nests of large kernels; results are the same bit by bit."""

import re
import subprocess
import threading
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.compiled import CompiledModel
from dycl.kernels.cpu import CpuBackend
from dycl.runtime.targets import why_not_here
from dycl.schedules import winograd
from dycl.schedules.schedule import NARROW, WIDE, Registers, Schedule, Shape
from dycl.schedules.tiles import convolution


class _Net(nn.Module):
    """Odd sizes, strides, groups, a pool, a matrix product; one decision."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Conv2d(3, 40, 3, padding=1)
        self.two = nn.Conv2d(40, 72, 3, stride=2, padding=1)
        self.deep = nn.Conv2d(72, 72, 3, padding=1, groups=72)
        self.pool = nn.MaxPool2d(3, 2)
        self.last = nn.Linear(72, 300)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.two(self.one(x).relu()).relu()
        if y.mean() > 0.05:
            y = self.deep(y) + y
        return self.last(self.pool(y).flatten(2).transpose(1, 2)).softmax(-1)


def _inputs() -> list[torch.Tensor]:
    torch.manual_seed(2)
    return [torch.randn(2, 3, 45, 37) * scale for scale in (0.1, 1.0, 3.0, 0.2)]


@pytest.fixture(scope="module")
def nets() -> tuple[_Net, CompiledModel, CompiledModel]:
    torch.manual_seed(1)
    net, x = _Net().eval(), _inputs()[0]
    one = dycl.compile(net, (x,), host="native")
    return net, one, dycl.compile(net, (x,), host="native", threads=3)


Nets = tuple[_Net, CompiledModel, CompiledModel]


def test_results_are_those_of_one_thread(nets: Nets) -> None:
    net, one, three = nets
    assert "@dycl_share" in three.kernel_stages["llvm"]
    assert "@dycl_share" not in one.kernel_stages["llvm"]
    taken: set[bool] = set()
    for _ in range(20):
        for x in _inputs():
            got = three(x.numpy())
            assert np.array_equal(got, one(x.numpy()))
            with torch.no_grad():
                torch.testing.assert_close(torch.as_tensor(got), net(x))
            taken |= {d.taken for d in three.path}
    assert taken == {True, False}


def test_runs_at_the_same_time_do_not_meet(nets: Nets) -> None:
    _, one, three = nets
    inputs = [x.numpy() for x in _inputs()]
    wanted = [one(x) for x in inputs]
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(15):
            if not np.array_equal(three(inputs[number]), wanted[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.links_libraries
def test_the_python_host_and_the_artifact_give_the_same(
    nets: Nets, tmp_path: Path
) -> None:
    _, one, three = nets
    three.save(tmp_path / "net", folder=True)
    loaded = dycl.load(tmp_path / "net")
    assert loaded.host == "native"
    for x in _inputs():
        wanted = one(x.numpy())
        assert np.array_equal(loaded(x.numpy()), wanted)
        assert np.array_equal(three.with_python_host()(x.numpy()), wanted)
    needs = subprocess.run(
        ["ldd", tmp_path / "net" / "model.so"], capture_output=True, text=True
    )
    names = {line.split()[0].rpartition("/")[2] for line in needs.stdout.splitlines()}
    assert names <= {
        "linux-vdso.so.1",
        "libc.so.6",
        "libm.so.6",
        "ld-linux-x86-64.so.2",
    }


def test_a_kernel_alone_does_all_parts() -> None:
    vec = "!torch.vtensor<[256,256],f32>"
    text = f"""func.func @k(%x: {vec}) -> {vec} {{
      %y = torch.aten.mm %x, %x : {vec}, {vec} -> {vec}
      return %y : {vec}
    }}"""
    library = CpuBackend(threads=2).compile(text)
    assert "@dycl_share" in library.stages()["llvm"]
    x, y = torch.randn(256, 256), torch.zeros(256, 256)
    library["k"].launch(x.data_ptr(), y.data_ptr())
    torch.testing.assert_close(y, x @ x, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("sizes", [(32, 32), (33, 29), (8, 60)])
def test_threads_share_rows_of_images(sizes: tuple[int, int]) -> None:
    torch.manual_seed(4)
    net = nn.Sequential(
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(32, 32, 3, padding=1),
        nn.MaxPool2d(3, 1),
        nn.Conv2d(32, 64, 1),
        nn.Conv2d(64, 16, 5, stride=2),
    ).eval()
    x = torch.randn(1, 16, *sizes)
    one = dycl.compile(net, (x,), host="native")
    assert "dycl.rows" not in one.kernel_stages["memref"]
    alone = one(x.numpy())
    with torch.no_grad():
        torch.testing.assert_close(torch.as_tensor(alone), net(x))
    for threads in (2, 3):
        many = dycl.compile(net, (x,), host="native", threads=threads)
        assert "dycl.rows" in many.kernel_stages["memref"]
        for _ in range(10):
            assert np.array_equal(many(x.numpy()), alone)


@pytest.mark.parametrize("shape", [(1, 16, 64, 64), (4, 16, 32, 32), (1, 16, 40, 88)])
def test_threads_share_the_blocks_of_winograd(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(winograd, "tile_of", lambda *_: 4)
    torch.manual_seed(6)
    net = nn.Sequential(
        nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1)
    ).eval()
    inputs = [torch.randn(shape) * scale for scale in (1.0, 30.0)]
    inputs[1][0, 3, 7, 9] = torch.nan
    one = dycl.compile(net, (inputs[0],), host="native", cache=False)
    alone = [one(x.numpy()) for x in inputs]
    for threads in (2, 3):
        many = dycl.compile(
            net, (inputs[0],), host="native", threads=threads, cache=False
        )
        stages = many.kernel_stages
        assert "@dycl_share" in stages["llvm"]
        if threads == 2:  # Three would not get equal parts of each shape.
            calls = re.findall(r"call @nest", stages["memref"])
            assert len(calls) == 2, "three nests of a convolution are one"
        for _ in range(10):
            for x, wanted in zip(inputs, alone, strict=True):
                assert np.array_equal(many(x.numpy()), wanted, equal_nan=True)
    with torch.no_grad():
        torch.testing.assert_close(
            torch.as_tensor(alone[0]), net(inputs[0]), rtol=1e-4, atol=1e-4
        )


@pytest.mark.parametrize("threads", [0, -1, 65])
def test_a_number_of_threads_is_refused(threads: int) -> None:
    with pytest.raises(ValueError, match=f"threads is {threads}, not between 1 and 64"):
        dycl.compile(nn.ReLU(), (torch.zeros(2),), threads=threads)


@pytest.mark.skipif(bool(why_not_here("x86-64-v3")), reason="no AVX2 here")
def test_a_depthwise_and_its_1x1_give_the_same_sums() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(96, 96, 3, padding=1, groups=96), nn.ReLU(), nn.Conv2d(96, 16, 1)
    ).eval()
    x = torch.randn(1, 96, 40, 17)
    one, two = (
        dycl.compile(net, (x,), host="native", threads=threads, target="x86-64-v3")
        for threads in (1, 2)
    )
    assert np.array_equal(one(x.numpy()), two(x.numpy()))
    with torch.no_grad():
        torch.testing.assert_close(torch.as_tensor(one(x.numpy())), net(x))


@pytest.mark.parametrize("registers", [WIDE, NARROW])
@pytest.mark.parametrize("channels", [64, 512])
def test_a_sum_is_split_alike_for_any_number_of_threads(
    registers: Registers, channels: int
) -> None:
    """Partial sums are added in another order than whole ones; tiles may differ."""
    shared = 0
    for filters, rows, width in product((1, 2, 6), range(1, 28), (1, 2, 5, 7, 14, 27)):
        sizes = {0: 1, 1: filters, 2: rows, 3: width, 4: 16, 5: channels // 16}
        sizes |= {6: 1, 7: 1, 8: 16}
        image, weights = 4 * channels * rows * width, 4 * channels * filters * 16
        one, *others = (
            convolution(
                Shape(range(5), sizes, range(5, 9), 0, image, weights, threads),
                registers,
            )
            for threads in (1, 2, 3, 8)
        )
        wanted = _parts(one, sizes)
        for schedule in others:
            assert _parts(schedule, sizes) == wanted, (filters, rows, width)
            shared += bool(schedule.rows)
    assert shared


def _parts(schedule: Schedule, sizes: Mapping[int, int]) -> list[int]:
    """Into how many parts the sum of each pixel is split."""
    blocks = schedule.tile(1, {})
    return [
        schedule.split(blocks * high * wide)
        for high, wide in product(
            _tiles(schedule, 2, sizes), _tiles(schedule, 3, sizes)
        )
    ]


def _tiles(schedule: Schedule, loop: int, sizes: Mapping[int, int]) -> list[int]:
    """Of each trip of a loop, how long its tile is."""
    size = sizes[loop]
    step = max(1, min(size, schedule.tile(loop, {})))
    strip = schedule.strip if schedule.order.count(loop) > 1 else size
    found: list[int] = []
    for low in range(0, size, strip):
        rest = min(strip, size - low)
        for start in range(0, rest, step):
            found += [min(step, rest - start)] * min(step, rest - start)
    return found


@pytest.mark.parametrize("filters", [1000, 300])
def test_a_matrix_that_meets_one_row_is_shared(filters: int) -> None:
    torch.manual_seed(3)
    net, x = nn.Linear(512, filters).eval(), torch.randn(1, 512)
    one = dycl.compile(net, (x,), host="native")
    many = dycl.compile(net, (x,), host="native", threads=3)
    assert "@dycl_share" in many.kernel_stages["llvm"]
    for _ in range(20):
        x = torch.randn(1, 512)
        assert np.array_equal(many(x.numpy()), one(x.numpy()))
        with torch.no_grad():
            torch.testing.assert_close(torch.as_tensor(many(x.numpy())), net(x))
