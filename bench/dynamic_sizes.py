"""`python -m bench.dynamic_sizes [PART OF A NAME] [--target T]`: sizes a run decides.

Each kernel is compiled once with a dynamic size, and once for each size; both run in
turns with eager, in one process, on one thread. Microseconds of the fastest call, the
time as a multiple of that at a fixed size, and eager's as a multiple of it. A result of
dynamic size is in memory that the kernel makes and the caller frees: that is in.
"""

import argparse
import ctypes
import re

import torch
import torch.nn.functional as F

from bench.kernels import aligned
from bench.machine import add_target, one_thread, show_facts
from bench.rows import race, torch_text
from bench.table import text
from dycl.kernels.cpu import CpuBackend

N = 9973
"""Stands for the dynamic size while a function is traced."""
_LIBC = ctypes.CDLL(None)
_LIBC.free.argtypes = [ctypes.c_void_p]


def convolution(x, w, b):
    """With bias and relu."""
    return F.relu(F.conv2d(x, w, b, padding=w.shape[-1] // 2))


def cell(x, h, c, w, u, b):
    """Of an LSTM."""
    enter, forget, new, leave = (F.linear(x, w, b) + F.linear(h, u)).chunk(4, 1)
    c = forget.sigmoid() * c + enter.sigmoid() * new.tanh()
    return leave.sigmoid() * c.tanh(), c


def cases():
    """Name -> function, shapes of inputs, shapes of weights, sizes."""
    batch, rows, length = (1, 8, 32), (1, 3, 8, 64), (5, 17, 33, 64, 100, 197, 512)
    attention = F.scaled_dot_product_attention
    return {
        "conv 3x3 64@28": (
            convolution,
            [(N, 64, 28, 28)],
            [(64, 64, 3, 3), (64,)],
            batch,
        ),
        "conv 5x5 32@16": (
            convolution,
            [(N, 32, 16, 16)],
            [(32, 32, 5, 5), (32,)],
            batch,
        ),
        "conv 1x1 256@14": (
            convolution,
            [(N, 256, 14, 14)],
            [(64, 256, 1, 1), (64,)],
            batch,
        ),
        "depthwise 64@28": (
            lambda x, w: F.conv2d(x, w, padding=1, groups=64),
            [(N, 64, 28, 28)],
            [(64, 1, 3, 3)],
            batch,
        ),
        "transposed 64@14": (
            lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1),
            [(N, 64, 14, 14)],
            [(64, 32, 4, 4)],
            batch,
        ),
        "max pool 64@28": (lambda x: F.max_pool2d(x, 2), [(N, 64, 28, 28)], [], batch),
        "mean 64@28": (lambda x: x.mean((2, 3)), [(N, 64, 28, 28)], [], batch),
        "linear 512x512": (F.linear, [(N, 512)], [(512, 512), (512,)], rows),
        "linear, gelu, 256x512 of tokens": (
            lambda x, w, b: F.gelu(F.linear(x, w, b)),
            [(1, N, 256)],
            [(512, 256), (512,)],
            rows,
        ),
        "LSTM cell 256": (
            cell,
            [(N, 128), (N, 256), (N, 256)],
            [(1024, 128), (1024, 256), (1024,)],
            rows,
        ),
        "softmax 1000": (lambda x: x.softmax(-1), [(N, 1000)], [], rows),
        "layer norm 768": (
            lambda x, w, b: F.layer_norm(x, (768,), w, b),
            [(N, 768)],
            [(768,), (768,)],
            rows,
        ),
        "attention 4x197x64": (attention, [(N, 4, 197, 64)] * 3, [], batch),
        "attention of any length, 8x64": (attention, [(1, 8, N, 64)] * 3, [], length),
        "relu(x + y) 4096": (
            lambda x, y: F.relu(x + y),
            [(N, 4096), (N, 4096)],
            [],
            rows,
        ),
    }


class Work:
    """A function with its weights; the inputs that come first have a dynamic size."""

    def __init__(self, function, inputs, weights):
        self.function, self.shapes = function, inputs
        self.weights = [
            torch.randn(s) / max(1, torch.Size(s[1:]).numel()) ** 0.5 for s in weights
        ]

    def tensors(self, size):
        """Inputs of this size, and the weights."""
        shapes = [[size if n == N else n for n in shape] for shape in self.shapes]
        return [*map(torch.randn, shapes), *self.weights]

    def compiled(self, target, size=None):
        """The kernel for one size; None: for all."""
        untouched = list(map(torch.empty, self.shapes))
        given = [*untouched, *self.weights] if size is None else self.tensors(size)
        module = torch_text(self.function, given)
        if size is None:
            module = re.sub(rf"(?<=[\[,]){N}(?=[,\]])", "?", module)
        for index in range(len(self.shapes), len(given)):
            argument = rf"(%arg{index}: !torch\.vtensor<\[[^>]*>)"
            module = re.sub(argument, r"\1 {dycl.weight}", module, count=1)
        return CpuBackend(target=target, cache=False).compile(module)["kernel"]


class Call:
    """A kernel bound to tensors."""

    def __init__(self, kernel, tensors):
        buffers = []
        if kernel.prepared is not None:
            buffers = [aligned(spec) for spec in kernel.prepared.outputs]
            given = [tensors[i] for i in kernel.prepared.weights]
            kernel.prepared.kernel.launch(*(t.data_ptr() for t in (*given, *buffers)))
        words = []
        for i in kernel.inputs_left:
            dims = kernel.spec.inputs[i].open_dims
            words += [tensors[i].data_ptr(), *(tensors[i].shape[d] for d in dims)]
        words += [buffer.data_ptr() for buffer in buffers]
        self.slots, outputs = [], []
        for spec in kernel.spec.outputs:
            if spec.open_dims:
                self.slots.append((ctypes.c_int64 * (1 + len(spec.shape)))())
                words.append(ctypes.addressof(self.slots[-1]))
            else:
                outputs.append(aligned(spec))
                words.append(outputs[-1].data_ptr())
        self.bound, self._kept = kernel.bind(*words), (tensors, buffers, outputs)

    def __call__(self):
        self.bound()
        for slot in self.slots:
            _LIBC.free(slot[0])


def measure(name, work, sizes, target):
    """One row for each size."""
    dynamic = work.compiled(target)
    for size in sizes:
        tensors = work.tensors(size)
        times = race(
            {
                "dynamic": Call(dynamic, tensors),
                "fixed": Call(work.compiled(target, size), tensors),
                "eager": lambda tensors=tensors: work.function(*tensors),
            }
        )
        (ours, _), (fixed, _), (eager, _) = times.values()
        yield {
            "work": name,
            "size": str(size),
            "dynamic us": f"{ours * 1e6:.1f}",
            "fixed us": f"{fixed * 1e6:.1f}",
            "dynamic / fixed": f"{ours / fixed:.2f}",
            "eager / dynamic": f"{eager / ours:.2f}",
        }


def main(argv=None):
    """Measure what the command line names, or all."""
    parser = argparse.ArgumentParser("python -m bench.dynamic_sizes")
    parser.add_argument("wanted", nargs="?", default="", help="part of a name")
    add_target(parser)
    arguments = parser.parse_args(argv)
    show_facts(target=arguments.target)
    torch.manual_seed(0)
    rows = []
    with one_thread(), torch.no_grad():
        for name, (function, inputs, weights, sizes) in cases().items():
            if arguments.wanted in name:
                work = Work(function, inputs, weights)
                rows += measure(name, work, sizes, arguments.target)
    print(text(rows))


if __name__ == "__main__":
    main()
