"""`python -m bench.kernels [PART OF A NAME] [--target T] [--json FILE]`: contractions.

Each row is one kernel on one thread: an image in rows goes in and comes out, so packing
and unpacking are in it, where `cpu-keep-rows` does not do without; weights are prepared
before. "6 of" a layer are in blocks, packed and unpacked once, as in a network. It runs
in turns with eager and with a loop that does nothing but multiply and add (or read as
many bytes): the per cent are of what that loop reached in the same rounds. Fastest
call, and the median.
"""

import argparse
import json
import re
from pathlib import Path

import torch
import torch.nn.functional as F

from bench.ceilings import multiply_adds, reads
from bench.machine import add_target, facts, one_thread, show_facts
from bench.rows import race, torch_text
from bench.table import text
from dycl.kernels.cpu import CpuBackend
from dycl.runtime.targets import NATIVE


class Work:
    """One function, its input, its weights, and what it takes at least."""

    def __init__(self, function, x, weights, flops, wanted, nbytes=0, eager=None):
        """`wanted`: the per cent of the roof aimed at, or "2.5x" eager; "": none.

        `eager`: what torch is timed with, where that is another function. It may
        return a tuple. `x` may be several inputs.
        """
        given = x if isinstance(x, tuple) else (x,)
        self.function, self.tensors = function, [*given, *weights]
        self.inputs = len(given)
        self.eager = eager or function
        self.flops, self.nbytes, self.wanted = flops, nbytes, wanted


def convolution(c, f, size, kernel, wanted, *, stride=1, batch=1, groups=1):
    """A convolution with bias and relu."""
    padding = kernel // 2
    out = (size + 2 * padding - kernel) // stride + 1
    flops = 2 * batch * f * (c // groups) * kernel**2 * out**2
    weight = torch.randn(f, c // groups, kernel, kernel) / (c // groups) ** 0.5 / kernel

    def function(x, w, b):
        return F.relu(F.conv2d(x, w, b, stride, padding, 1, groups))

    x = torch.randn(batch, c, size, size)
    return Work(function, x, [weight, torch.randn(f)], flops, wanted)


def transposed(c, f, size, kernel, wanted):
    """A transposed convolution of stride 2 with bias and relu."""
    weight = torch.randn(c, f, kernel, kernel) / c**0.5 / kernel
    padding = (kernel - 1) // 2

    def function(x, w, b):
        return F.relu(F.conv_transpose2d(x, w, b, 2, padding, kernel % 2))

    x = torch.randn(1, c, size, size)
    flops = 2 * c * f * kernel**2 * size**2
    return Work(function, x, [weight, torch.randn(f)], flops, wanted)


def linear(rows, k, n, wanted):
    """A linear layer; of a single row it is bound by the weights that it reads."""
    weight = torch.randn(n, k) / k**0.5
    nbytes = 4 * n * k if rows == 1 else 0
    x, bias = torch.randn(rows, k), torch.randn(n)
    return Work(F.linear, x, [weight, bias], 2 * rows * n * k, wanted, nbytes)


def lstm_cell(n, wanted):
    """A cell for a single row, bound by the weights that it reads."""

    def function(x, h, c, w_ih, w_hh, b_ih, b_hh):
        gates = F.linear(h, w_hh, b_hh) + F.linear(x, w_ih, b_ih)
        enter, forget, new, leave = gates.chunk(4, 1)
        c = forget.sigmoid() * c + enter.sigmoid() * new.tanh()
        return leave.sigmoid() * c.tanh(), c

    def eager(x, h, c, w_ih, w_hh, b_ih, b_hh):
        return torch.lstm_cell(x, (h, c), w_ih, w_hh, b_ih, b_hh)

    given = tuple(torch.randn(1, n) for _ in range(3))
    weights = [torch.randn(4 * n, n) / n**0.5 for _ in range(2)]
    weights += [torch.randn(4 * n) for _ in range(2)]
    return Work(function, given, weights, 16 * n * n, wanted, 4 * 8 * n * n, eager)


def block(c, size, wanted):
    """A residual block: two convolutions, batch norm, relu."""

    def function(x, w1, w2, g, b, m, v):
        y = F.relu(F.batch_norm(F.conv2d(x, w1, padding=1), m, v, g, b))
        y = F.batch_norm(F.conv2d(y, w2, padding=1), m, v, g, b)
        return F.relu(y + x)

    weights = [torch.randn(c, c, 3, 3) / c**0.5 / 3 for _ in range(2)]
    weights += [torch.rand(c) + 0.5 for _ in range(4)]
    flops = 4 * c * c * 9 * size * size
    return Work(function, torch.randn(1, c, size, size), weights, flops, wanted)


def layers(count, widths, size, kernel, wanted, *, groups=1):
    """Convolutions with bias and relu, one behind the other, as networks have them.

    `widths`: channels before each and after the last of them, again and again. What
    stands between them is in blocks: packing weighs less than beside a single one.
    """
    steps = list(zip(widths, [*widths[1:], widths[0]], strict=True)) * count
    weights, flops = [], 0
    for c, f in steps:
        shape = (f, c // groups, kernel, kernel)
        weights += [torch.randn(shape) / (c // groups) ** 0.5 / kernel, torch.randn(f)]
        flops += 2 * f * (c // groups) * kernel**2 * size**2

    def function(x, *weights):
        for w, b in zip(weights[::2], weights[1::2], strict=True):
            x = F.relu(F.conv2d(x, w, b, 1, kernel // 2, 1, groups))
        return x

    return Work(function, torch.randn(1, widths[0], size, size), weights, flops, wanted)


def cases():
    """Name -> work."""
    found = {}
    for c, size, wanted in (
        (16, 32, 85),
        (32, 16, 95),
        (64, 8, 95),
        (64, 56, 95),
        (128, 28, 95),
        (256, 14, 95),
        (512, 7, 95),
    ):
        found[f"3x3 {c}@{size}"] = convolution(c, c, size, 3, wanted)
    found |= {
        "1x1 256->64@56": convolution(256, 64, 56, 1, 90),
        "1x1 64->256@56": convolution(64, 256, 56, 1, 90),
        "1x1 512@7": convolution(512, 512, 7, 1, 90),
        "3x3 stride 2, 16->32@32": convolution(16, 32, 32, 3, 90, stride=2),
        "3x3 stride 2, 64->128@56": convolution(64, 128, 56, 3, 90, stride=2),
        "7x7 stride 2, 3->64@224": convolution(3, 64, 224, 7, 90, stride=2),
        "3x3 3->16@32": convolution(3, 16, 32, 3, ""),
        "3x3 24->40@16": convolution(24, 40, 16, 3, 65),
        "3x3 10->100@16": convolution(10, 100, 16, 3, 65),
        "3x3 64@17": convolution(64, 64, 17, 3, 90),
        "3x3 64@31": convolution(64, 64, 31, 3, 90),
        "3x3 64@8, batch 16": convolution(64, 64, 8, 3, "", batch=16),
        "depthwise 64@56": convolution(64, 64, 56, 3, "3.5x", groups=64),
        "depthwise stride 2, 144@56": convolution(
            144, 144, 56, 3, "3.5x", stride=2, groups=144
        ),
        "depthwise 256@14": convolution(256, 256, 14, 3, "3.5x", groups=256),
        "depthwise 512@7": convolution(512, 512, 7, 3, "3.5x", groups=512),
        "32 groups of 4, 128@28": convolution(128, 128, 28, 3, "", groups=32),
        "4 groups of 16, 64@14": convolution(64, 64, 14, 3, "", groups=4),
        "4 groups of 24, 96@14": convolution(96, 96, 14, 3, "", groups=4),
        "6 of depthwise 64@28": layers(6, [64], 28, 3, "", groups=64),
        "6 of 32 groups of 4, 128@28": layers(6, [128], 28, 3, 75, groups=32),
        "6 of 32 groups of 8, 256@14": layers(6, [256], 14, 3, 75, groups=32),
        "6 of 1x1 256->64->256@28": layers(3, [256, 64], 28, 1, 90),
        "transposed 4x4, 128->64@16": transposed(128, 64, 16, 4, ""),
        "transposed 2x2, 64->32@16": transposed(64, 32, 16, 2, ""),
        "block 16@32": block(16, 32, ""),
        "block 64@8": block(64, 8, ""),
    }
    for rows, k, n in (
        (8, 512, 512),
        (50, 512, 512),
        (64, 512, 512),
        (197, 768, 768),
        (197, 3072, 768),
    ):
        found[f"linear {rows}x{k}->{n}"] = linear(rows, k, n, 92)
    for k, n in ((512, 10), (512, 512), (512, 1000), (1024, 2048), (4096, 4096)):
        found[f"linear 1x{k}->{n}"] = linear(1, k, n, 85 if n > 10 else "")
    for n in (256, 512, 1024):
        found[f"LSTM cell {n}"] = lstm_cell(n, 85)
    return found


def prepared(work, target=NATIVE):
    """The kernel, ready to be called; its result; and what has to be kept for it."""
    module = torch_text(work.function, work.tensors)
    for index in range(work.inputs, len(work.tensors)):
        argument = rf"(%arg{index}: !torch\.vtensor<\[[^>]*>)"
        module = re.sub(argument, r"\1 {dycl.weight}", module, count=1)
    kernel = CpuBackend(target=target, cache=False).compile(module)["kernel"]
    buffers = []
    if kernel.prepared is not None:
        buffers = [aligned(spec) for spec in kernel.prepared.outputs]
        given = [work.tensors[i] for i in kernel.prepared.weights]
        kernel.prepared.kernel.launch(*(t.data_ptr() for t in (*given, *buffers)))
    outputs = [aligned(spec) for spec in kernel.spec.outputs]
    left = [work.tensors[i] for i in kernel.inputs_left]
    bound = kernel.bind(*(t.data_ptr() for t in (*left, *buffers, *outputs)))
    return bound, outputs, (left, buffers)


def aligned(spec):
    """Memory that begins at a multiple of 64 bytes."""
    kind = getattr(torch, spec.dtype)
    memory = torch.zeros(spec.nbytes + 64, dtype=torch.uint8)
    start = -memory.data_ptr() % 64
    return memory[start : start + spec.nbytes].view(kind).reshape(spec.shape)


def measure(name, work, target=NATIVE):
    """One row of the table."""
    with torch.no_grad():
        bound, outputs, _kept = prepared(work, target)
        bound()
        result = work.eager(*work.tensors)
        results = list(result) if isinstance(result, tuple) else [result]
        torch.testing.assert_close(outputs, results, rtol=1e-4, atol=1e-4)
        roof = reads(work.nbytes, target) if work.nbytes else multiply_adds(target)
        times = race(
            {
                "ours": bound,
                "eager": lambda: work.eager(*work.tensors),
                "roof": roof,
            }
        )
    (ours, our_median), (eager, median) = times["ours"], times["eager"]
    rate = roof.amount / times["roof"][0]
    share = 100 * (work.nbytes or work.flops) / ours / rate
    return {
        "work": name,
        "ours us": f"{ours * 1e6:.1f} {our_median * 1e6:.1f}",
        "eager us": f"{eager * 1e6:.1f} {median * 1e6:.1f}",
        "x": f"{eager / ours:.2f}",
        "roof": f"{rate / 1e9:.0f} {'GB/s' if work.nbytes else 'GF/s'}",
        "%": f"{share:.0f}",
        "wanted": str(work.wanted),
    }


def main(argv=None):
    """Measure what the command line names, or all."""
    parser = argparse.ArgumentParser("python -m bench.kernels")
    parser.add_argument("wanted", nargs="?", default="", help="part of a name")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the rows as JSON")
    add_target(parser)
    arguments = parser.parse_args(argv)
    show_facts(target=arguments.target)
    torch.manual_seed(0)
    with one_thread():
        chosen = {k: v for k, v in cases().items() if arguments.wanted in k}
        rows = [measure(k, work, arguments.target) for k, work in chosen.items()]
    print(text(rows))
    if arguments.json:
        machine = {**facts(), "target": arguments.target}
        report = {"machine": machine, "kernels": rows}
        arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
