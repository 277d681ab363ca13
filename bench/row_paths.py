"""`python -m bench.row_paths [PART OF A NAME]`: many rows, each on its own way.

Networks that decide are compiled with `rows=True` and called with 1 to 128 rows,
in turns with four others: a loop over the rows that calls the network compiled for one
row; eager in such a loop; and, for two networks, eager code written by hand, which
masks and takes parts of the batch. One thread; microseconds of the median call for a
row, and the others' times as multiples of ours. `--threads 2` compares with the same
compiled for two threads instead, by the clock.
"""

import argparse
import time

import torch
from torch import nn

import dycl
from bench.dynamic_models import Residual, resnet
from bench.dynns import vgg_exits
from bench.machine import one_thread, show_facts
from bench.table import text
from examples import skipnet

COUNTS = (1, 2, 8, 32, 128)
SECONDS = 0.4
"""For each of the contestants, at each number of rows."""
SETTLING = 4
"""Calls before the one that counts."""


class LinearExits(nn.Module):
    """A stack of layers; a confident row leaves at one of four heads."""

    def __init__(self, width=512, depth=4):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.heads = nn.ModuleList(nn.Linear(width, 10) for _ in range(depth))

    def forward(self, x):
        for layer, head in zip(self.layers, self.heads, strict=True):
            x = torch.relu(layer(x))
            y = head(x)
            if y[0, 0] > 0.0:
                return y
        return y

    def masked(self, x):
        """The same for a batch, by hand."""
        result = x.new_empty(len(x), 10)
        left = torch.arange(len(x))
        for layer, head in zip(self.layers, self.heads, strict=True):
            x = torch.relu(layer(x))
            y = head(x)
            leaves = y[:, 0] > 0.0
            result[left[leaves]] = y[leaves]
            last, x, left = y[~leaves], x[~leaves], left[~leaves]
            if not len(left):
                return result
        result[left] = last
        return result


class Experts(nn.Module):
    """One of eight experts for each row."""

    def __init__(self, width=512, count=8):
        super().__init__()
        self.gate = nn.Linear(width, count)
        self.experts = nn.ModuleList(
            nn.Sequential(
                nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)
            )
            for _ in range(count)
        )

    def forward(self, x):
        chosen = int(self.gate(x).argmax())
        return x + self.experts[chosen](x)

    def masked(self, x):
        """The same for a batch, by hand."""
        chosen = self.gate(x).argmax(-1)
        y = x.clone()
        for number, expert in enumerate(self.experts):
            rows = (chosen == number).nonzero()[:, 0]
            if len(rows):
                y[rows] += expert(x[rows])
        return y


class HaltingLSTM(nn.Module):
    """A cell that is run until it says that it is done, at most 16 times."""

    def __init__(self, width=256):
        super().__init__()
        self.cell = nn.LSTMCell(width, width)
        self.halt = nn.Linear(width, 1)

    def forward(self, x):
        h, c = torch.zeros_like(x), torch.zeros_like(x)
        steps = 0
        while steps < 16:
            h, c = self.cell(x, (h, c))
            steps += 1
            if self.halt(h) > 0.02:
                break
        return h


class TransformerExits(nn.Module):
    """Layers of a text encoder, with an exit after each."""

    def __init__(self, width=128, length=16, depth=3):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 4, 2 * width, 0.0, batch_first=True)
            for _ in range(depth)
        )
        self.heads = nn.ModuleList(nn.Linear(width, 4) for _ in range(depth))

    def forward(self, x):
        for layer, head in zip(self.layers, self.heads, strict=True):
            x = layer(x)
            y = head(x[:, 0])
            if y[0, 0] > 0.0:
                return y
        return y


class ConvExits(nn.Module):
    """Convolutions, with an exit after each pair."""

    def __init__(self, channels=32, depth=3):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(channels, channels, 3, padding=1),
                nn.BatchNorm2d(channels),
                nn.ReLU(),
            )
            for _ in range(depth)
        )
        self.heads = nn.ModuleList(nn.Linear(channels, 10) for _ in range(depth))

    def forward(self, x):
        x = torch.relu(self.stem(x))
        for block, head in zip(self.blocks, self.heads, strict=True):
            x = block(x)
            y = head(x.mean((2, 3)))
            if y[0, 0] > 0.0:
                return y
        return y


class GatedBlocks(nn.Module):
    """Residual blocks, each of which a gate may skip."""

    def __init__(self, channels=32, depth=6):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 3, padding=1)
        self.gates = nn.ModuleList(nn.Linear(channels, 1) for _ in range(depth))
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(channels, channels, 3, padding=1),
                nn.BatchNorm2d(channels),
                nn.ReLU(),
                nn.Conv2d(channels, channels, 3, padding=1),
                nn.BatchNorm2d(channels),
            )
            for _ in range(depth)
        )
        self.head = nn.Linear(channels, 10)

    def forward(self, x):
        x = torch.relu(self.stem(x))
        for gate, block in zip(self.gates, self.blocks, strict=True):
            if gate(x.mean((2, 3))) > 0.0:
                x = torch.relu(x + block(x))
        return self.head(x.mean((2, 3)))


class SkippedResiduals(nn.Module):
    """A network of ResNet-18's size; a gate may skip a block that keeps its shape."""

    def __init__(self):
        super().__init__()
        whole = resnet()
        self.blocks, self.head = whole.blocks, whole.head
        self.gates = nn.ModuleDict()
        x = torch.randn(16, 3, 64, 64)
        for number, block in enumerate(self.blocks.eval()):
            y = block(x)
            if isinstance(block, Residual) and y.shape == x.shape:
                gate = nn.Linear(x.shape[1], 1)
                gate.bias -= gate(x.mean((2, 3))).median()
                self.gates[str(number)] = gate
            x = y

    def forward(self, x):
        for number, block in enumerate(self.blocks):
            if str(number) in self.gates:
                if self.gates[str(number)](x.mean((2, 3))) > 0.0:
                    x = block(x)
            else:
                x = block(x)
        return self.head(x.mean((2, 3)))


class SkipNet(nn.Module):
    """That of the examples: the logits."""

    def __init__(self):
        super().__init__()
        self.net = skipnet.build()

    def forward(self, x):
        return self.net(x)[0]


CASES = {
    "linear exits 512": (LinearExits, (512,)),
    "experts 512": (Experts, (512,)),
    "LSTM that halts 256": (HaltingLSTM, (256,)),
    "transformer exits 128": (TransformerExits, (16, 128)),
    "convolution exits 32": (ConvExits, (3, 32, 32)),
    "gated blocks 32": (GatedBlocks, (3, 32, 32)),
    "SkipNet-38": (SkipNet, (3, 32, 32)),
    "VGG exits": (vgg_exits.build, (3, 32, 32)),
    "ResNet-18 with gates": (SkippedResiduals, (3, 64, 64)),
}


def each_row(function, x):
    """What a function gives for each row, joined."""
    return torch.cat([function(x[i : i + 1]) for i in range(len(x))])


def race(functions, clock=time.process_time):
    """Name -> median seconds of a call, in turns: of some in a row the last, which
    finds in the caches what is its own. One more is not enough for matrices that fill
    the last cache, each copy of which another contestant has put out of it."""
    found = {name: [] for name in functions}
    for function in functions.values():
        function()
    spent = 0.0
    enough = SECONDS / (1 + SETTLING) * len(functions)
    while spent < enough or len(next(iter(found.values()))) < 5:
        for name, function in functions.items():
            for _ in range(SETTLING):
                function()
            start = clock()
            function()
            found[name].append(clock() - start)
            spent += found[name][-1]
    return {name: sorted(times)[len(times) // 2] for name, times in found.items()}


def compiled(make, shape):
    """A network, and it compiled for rows and for one row."""
    torch.manual_seed(0)
    model = make().eval()
    one = torch.randn(1, *shape)
    return model, dycl.compile(model, (one,), rows=True), dycl.compile(model, (one,))


def measure(name, make, shape):
    """The lines of the table for one network."""
    model, rows, single = compiled(make, shape)
    lines = []
    for count in COUNTS:
        torch.manual_seed(count)
        x = torch.randn(count, *shape)
        wanted = each_row(single, x)
        torch.testing.assert_close(rows(x), wanted, rtol=1e-3, atol=1e-4)
        paths = len({tuple(d.taken for d in path) for path in rows.paths})
        functions = {
            "rows": lambda x=x: rows(x),
            "loop": lambda x=x: each_row(single, x),
            "eager's loop": lambda x=x: each_row(model, x),
        }
        if hasattr(model, "masked"):
            torch.testing.assert_close(model.masked(x), wanted, rtol=1e-3, atol=1e-4)
            functions["by hand"] = lambda x=x: model.masked(x)
        with torch.no_grad():
            times = race(functions)
        ours = times.pop("rows")
        line = {"network": name, "rows": count, "paths": paths}
        line["us a row"] = f"{ours * 1e6 / count:.2f}"
        line |= {k: f"{v / ours:.2f}x" for k, v in times.items()}
        lines.append({"by hand": "", **line})
    return lines


def measure_threads(name, make, shape, threads):
    """The lines of the table of threads for one network."""
    torch.manual_seed(0)
    model, one = make().eval(), torch.randn(1, *shape)
    few, many = (
        dycl.compile(model, (one,), rows=True, threads=count) for count in (1, threads)
    )
    lines = []
    for count in COUNTS[2:]:
        torch.manual_seed(count)
        x = torch.randn(count, *shape)
        functions = {"one": lambda x=x: few(x), "several": lambda x=x: many(x)}
        times = race(functions, time.perf_counter)
        line = {"network": name, "rows": count}
        line["us"] = f"{times['several'] * 1e6:.0f}"
        lines.append(line | {"x": f"{times['one'] / times['several']:.2f}x"})
    return lines


def main():
    """Measure what the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    show_facts()
    order = ("network", "rows", "paths", "us a row", "loop", "eager's loop", "by hand")
    with one_thread(), torch.no_grad():
        lines = []
        for name, case in CASES.items():
            if asked.name in name and asked.threads > 1:
                lines += measure_threads(name, *case, asked.threads)
            elif asked.name in name:
                found = measure(name, *case)
                lines += [{key: line[key] for key in order} for line in found]
    print(text(lines))


if __name__ == "__main__":
    main()
