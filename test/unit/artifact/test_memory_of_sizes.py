"""Memory of dynamic sizes: one allocation for a larger size, none for others."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import dycl
from dycl.toolchain import find_compiler

CC = find_compiler()
pytestmark = pytest.mark.skipif(CC is None, reason="there is no C compiler")

CALLS = """
import ctypes, json, sys
import numpy as np
counter = ctypes.CDLL(sys.argv[1])
counter.counted.restype = counter.counted_bytes.restype = ctypes.c_long
from dycl.runtime import load, native
made = native.NativeHost.__init__
found = []

def counted(self, *arguments, **others):
    made(self, *arguments, **others)
    run = self.run
    self.method = self.objects = None  # so that `run` is what runs

    def one(handle):
        count, size = counter.counted(), counter.counted_bytes()
        how = run(handle)
        found.append((counter.counted() - count, counter.counted_bytes() - size))
        return how

    self.run = one

native.NativeHost.__init__ = counted
net = load(sys.argv[2])
assert net.host == "native"
for shape in json.loads(sys.argv[3]):
    net(np.ones(shape, np.float32))
print(json.dumps(found))
"""


class Image(nn.Module):
    """Maps of several sizes, some of which are needed at once, and a decision."""

    def __init__(self):
        super().__init__()
        self.first, self.next = nn.Conv2d(3, 16, 3, 1, 1), nn.Conv2d(16, 32, 3, 2, 1)
        self.last = nn.Linear(32, 10)

    def forward(self, x):
        y = self.first(x).relu()
        if y.mean() > 0:
            y = y.softmax(1) + y
        return self.last(F.max_pool2d(self.next(y), 2).mean((2, 3)))


class Rows(nn.Module):
    """As many rows as the data decide, put into a list."""

    def forward(self, x):
        parts = [x]
        for k in range(int((x[0] > 0).sum())):
            parts.append(x[x.sum(1) > k] * 2)
        return torch.cat(parts)


def _allocations(net, folder, shapes):
    """How often each call asks for memory, and for how many bytes."""
    library, saved = folder / "counted.so", folder / "net.dycl"
    source = Path(__file__).with_name("counted.c")
    command = [*CC.command, "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    net.save(saved)
    done = subprocess.run(
        [sys.executable, "-c", CALLS, library, saved, json.dumps(shapes)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "LD_PRELOAD": str(library)},
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def image():
    h, w = dycl.Dim("h", min=4, max=256), dycl.Dim("w", min=4)
    x = torch.randn(1, 3, 32, 32)
    shapes = {"x": {2: h, 3: w}}
    return dycl.explain(Image().eval(), (x,), dynamic_shapes=shapes, host="native")


def test_a_larger_size_is_one_allocation_and_others_are_none(image, tmp_path):
    sizes = [(8, 8), (32, 40), (32, 40), (64, 64), (64, 64), (20, 30), (64, 64)]
    sizes += [(200, 300), (200, 300), (7, 300), (5, 5)]
    found = _allocations(image.net, tmp_path, [(1, 3, *size) for size in sizes])
    counts = [count for count, _ in found]
    # Of the first one is the thread's own memory for what the library keeps of it.
    assert counts[0] <= 2
    assert counts[1:] == [1, 0, 1, 0, 0, 0, 1, 0, 0, 0]


def test_the_formula_says_how_much(image, tmp_path):
    text = "\n".join(image.sizes)
    (formula,) = re.findall("takes up to (.*) bytes of dynamic sizes at once", text)
    assert "where" not in text  # `w` has no end
    h, w = 200, 300
    most = eval(formula, {"Max": max, "Min": min}, {"h": h, "w": w})
    # Sixteen maps before and behind softmax, at least.
    assert 2 * 16 * h * w * 4 <= most <= 5 * 16 * h * w * 4
    shapes = [(1, 3, 4, 4), (1, 3, h, w)]
    _, (count, size) = _allocations(image.net, tmp_path, shapes)
    assert count == 1
    assert most <= size <= 1.5 * most + (1 << 16)


def test_a_maximum_is_told():
    n = dycl.Dim("n", max=100)
    found = dycl.explain(
        nn.Sequential(nn.Linear(4, 8), nn.Tanh()).eval(),
        (torch.randn(2, 4),),
        dynamic_shapes=({0: n},),
        host="native",
    )
    (told,) = re.findall(r"at once: ([\d,]+) where n = 100", "\n".join(found.sizes))
    assert 100 * 8 * 4 <= int(told.replace(",", "")) <= 2 * 100 * 8 * 4


def test_what_the_data_decide_takes_no_memory_twice(tmp_path):
    rows = dycl.Dim("rows", min=1)
    x, sizes = torch.ones(3, 4), {"x": {0: rows}}
    net = dycl.compile(Rows().eval(), (x,), dynamic_shapes=sizes, host="native")
    shapes = [(n, 4) for n in (3, 3, 3, 50, 50, 50, 3, 2000, 2000, 2000, 50)]
    counts = [count for count, _ in _allocations(net, tmp_path, shapes)]
    assert [counts[i] for i in (2, 5, 6, 9, 10)] == [0] * 5
    assert math.prod(counts[i] for i in (0, 7)) > 0
