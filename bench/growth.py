"""How compiling grows with the length of a program: `python -m bench --only growth`.

Hardly any decisions here (`bench.scale` has those): operations in a straight line,
parameters, steps of a static loop of LSTM cells, and dense blocks that concatenate a
growing list.
For each kind the sizes double, so that the exponent of a stage can be read off: seconds
that grow as n ** 1 double from row to row. Seconds are the processor's.

Each row is a process of its own:

    python -m bench.growth "operations" 1000             one row as JSON
    python -m bench.growth "operations" 1000 --passes    seconds of each pass as well
"""

import argparse
import importlib.util
import json
import math
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager, nullcontext
from pathlib import Path
from random import Random

import torch
from torch import nn

from bench.compile_time import STAGES, compile_case
from bench.models import built
from bench.peers.keep import cpu_seconds
from dycl.universe import everything

WIDTH = 4


def operations(count):
    """`count` elementwise operations, each on a line of its own."""
    return _straight(f"        x{i % 3} = {_line(i)}" for i in range(count))


def varied(count):
    """`count` operations of twelve kinds in a random order: no two pieces are alike."""
    rng = Random(0)
    return _straight(f"        x{i % 3} = {_any_line(i, rng)}" for i in range(count))


def _straight(lines):
    """A model whose `forward` is these lines, on x0, x1 and x2; and inputs."""
    lines = "\n".join(lines)
    text = (
        "import torch\n\n\nclass Straight(torch.nn.Module):\n"
        f"    def forward(self, x0, x1, x2):\n{lines}\n        return x0 + x1 + x2\n"
    )
    cls = _imported("straight", text).Straight
    return cls(), tuple(torch.randn(1, WIDTH) for _ in range(3))


def _line(i):
    a, b = f"x{(i + 1) % 3}", f"x{(i + 2) % 3}"
    return (f"torch.tanh({a} + {b})", f"{a} * {b}", f"torch.relu({a}) - {b}")[i % 7 % 3]


def _any_line(i, rng):
    """An operation on the values before it, whose result is between -2 and 2."""
    a, b = f"x{(i + 1) % 3}", f"x{(i + 2) % 3}"
    number = round(rng.uniform(-1, 1), 3)
    return rng.choice(
        (
            f"torch.tanh({a} + {b})",
            f"torch.sigmoid({a}) * {number}",
            f"torch.relu({a}) * {number} - torch.sin({b})",
            f"torch.cos({a} - {b})",
            f"({a} + {number}).clamp(-1, 1)",
            f"{a}.softmax(-1) - {b}.sigmoid()",
            f"torch.cat([{a}[:, 1:], {b}[:, :1]], 1)",
            f"torch.where({a} > {number}, {a}, {b})",
            f"({a} - {b}.mean(-1, keepdim=True)) * 0.5",
            f"torch.maximum({a}, {b}) * {number}",
            f"{a}.flip(-1)",
            f"torch.tanh({a} @ {a}.transpose(0, 1) + {b})",
        )
    )


def mixed(count):
    """Elementwise operations, products with weights, a decision in each hundred."""
    lines = []
    for i in range(count):
        line = f"self.layers[{i % 8}](x{(i + 1) % 3})" if i % 10 == 0 else _line(i)
        test = f"if x{(i + 1) % 3}.sum() > {i % 7 - 3}: " if i % 100 == 99 else ""
        lines.append(f"        {test}x{i % 3} = {line}")
    model, inputs = _straight(lines)
    model.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(8))
    return model, inputs


class Parameters(nn.Module):
    """`count` parameters: a linear layer has two."""

    def __init__(self, count):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(count // 2))

    def forward(self, x):
        """Shape 1xWIDTH in and out, float32."""
        for layer in self.layers:
            x = torch.tanh(layer(x)) + x
        return x


class Cells(nn.Module):
    """Ten LSTM cells one above the other, over `count / 10` steps."""

    def __init__(self, count):
        super().__init__()
        self.steps = count // 10
        self.cells = nn.ModuleList(nn.LSTMCell(WIDTH, WIDTH) for _ in range(10))

    def forward(self, x):
        """Shape steps x 1 x WIDTH; the last output, 1 x WIDTH."""
        states = [(torch.zeros(1, WIDTH), torch.zeros(1, WIDTH)) for _ in self.cells]
        out = x[0]
        for step in range(self.steps):
            out = x[step]
            for i, cell in enumerate(self.cells):
                states[i] = cell(out, states[i])
                out = states[i][0]
        return out


class DenseLayer(nn.Module):
    """A layer that sees all that came before it in its block."""

    def __init__(self, channels, growth):
        super().__init__()
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(growth)
        self.conv1 = nn.Conv2d(channels, growth, 1, bias=False)
        self.conv2 = nn.Conv2d(growth, growth, 3, padding=1, bias=False)

    def forward(self, features):
        """A list of N x any x H x W; N x growth x H x W, float32."""
        x = self.conv1(torch.relu(self.norm1(torch.cat(features, 1))))
        return self.conv2(torch.relu(self.norm2(x)))


class Dense(nn.Module):
    """Dense blocks of eight layers each, `count` layers in all."""

    def __init__(self, count, growth=4):
        super().__init__()
        self.blocks = nn.ModuleList()
        self.joins = nn.ModuleList()
        for _ in range(count // 8):
            layers = (DenseLayer(growth * (i + 1), growth) for i in range(8))
            self.blocks.append(nn.ModuleList(layers))
            self.joins.append(nn.Conv2d(growth * 9, growth, 1))

    def forward(self, x):
        """Shape 1 x growth x 4 x 4 in and out, float32."""
        for block, join in zip(self.blocks, self.joins, strict=True):
            features = [x]
            for layer in block:
                features.append(layer(features))
            x = join(torch.cat(features, 1))
        return x


def _parameters(count):
    return Parameters(count), (torch.randn(1, WIDTH),)


def _cells(count):
    return Cells(count), (torch.randn(count // 10, 1, WIDTH),)


def _dense(count):
    return Dense(count), (torch.randn(1, 4, 4, 4),)


KINDS = {
    "operations": operations,
    "varied operations": varied,
    "mixed operations": mixed,
    "parameters": _parameters,
    "cells": _cells,
    "dense layers": _dense,
}
SIZES = (
    ("operations", (500, 1000, 2000)),
    ("varied operations", (250, 500, 1000)),
    ("mixed operations", (500, 1000, 2000)),
    ("parameters", (400, 800, 1600)),
    ("cells", (80, 160)),
    ("dense layers", (32, 64, 128)),
)
LONG = (
    ("operations", (2500, 5000, 10_000)),
    ("varied operations", (2500, 5000, 10_000)),
    ("mixed operations", (2500, 5000, 10_000)),
    ("parameters", (750, 1500, 3000)),
    ("cells", (160, 320, 640)),
    ("dense layers", (64, 128, 256)),
)


def rows(sizes):
    """The table's rows, in order; RuntimeError: a process failed, with what it said."""
    found = []
    for kind, counts in sizes:
        before = None
        for count in counts:
            row = _in_process(kind, count)
            found.append(_with_exponent(row, before))
            before = row
    return found


def measure(kind, count, passes=False):
    """One row: seconds of each stage, and how far the answer is from eager."""
    torch.manual_seed(0)
    model, inputs = KINDS[kind](count)
    model = built(model)
    cpu = -cpu_seconds()
    with _clocked_passes() if passes else nullcontext({}) as by_pass:
        done, *_ = compile_case(kind, model, [inputs])
    cpu += cpu_seconds()
    given = torch.as_tensor(done.net(*inputs))
    with torch.no_grad():
        eager = model(*inputs)
    return {
        "program": f"{count:,} {kind}",
        "count": count,
        **{name: done.cpu[name] for name in STAGES},
        "total": cpu,
        "kernels compiled": len(done.net.library.specs),
        "peak MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "off by": ((given - eager).abs().max() / eager.abs().max()).item(),
        **dict(sorted(by_pass.items(), key=lambda item: -item[1])),
    }


@contextmanager
def _clocked_passes():
    """Seconds of each pass, by name, filled in as passes run."""
    seconds = Counter()
    found = {name: load() for name, load in everything().all_passes.items()}
    ours = {n: c for n, c in found.items() if n.startswith("dycl-")}
    del ours["dycl-repeat"]
    before = {cls: cls.apply for cls in ours.values()}
    for name, cls in ours.items():
        cls.apply = _clocked(cls.apply, name, seconds)
    try:
        yield seconds
    finally:
        for cls, apply in before.items():
            cls.apply = apply


def _clocked(apply, name, seconds):
    def run(self, ctx, op):
        start = cpu_seconds()
        try:
            apply(self, ctx, op)
        finally:
            seconds[name] += cpu_seconds() - start

    return run


def _with_exponent(row, before):
    """The row, and the power of `count` by which seconds grew since the row before."""
    exponent = None
    if before is not None:
        grown = math.log(row["total"] / before["total"])
        exponent = grown / math.log(row["count"] / before["count"])
    return {**row, "exponent": exponent}


def _in_process(kind, count):
    command = [sys.executable, "-m", "bench.growth", kind, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{count:,} {kind}:\n{done.stderr}")
    return json.loads(done.stdout)


def _imported(name, text):
    """A module with this source; its file stays as long as the process."""
    folder = Path(tempfile.mkdtemp())
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m bench.growth", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("count", type=int)
    parser.add_argument("--passes", action="store_true")
    args = parser.parse_args()
    print(json.dumps(measure(args.kind, args.count, args.passes), indent=1))
