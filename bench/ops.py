"""`python -m bench.ops [PART OF A NAME ...]`: single operators, against eager.

Each is a model of its own, called in turns with torch's, on one thread; microseconds of
the fastest call, and eager's time as a multiple of ours. `--write PAGE` keeps them.
"""

import argparse
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

import dycl
from bench.machine import facts, one_thread, show_facts
from bench.table import text

ROUNDS = 15
CHUNK = 2e-3
"""Seconds of calls between two looks at the clock."""
MOST_CALLS = 200


class Function(nn.Module):
    """A function as a model."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *given):
        return self.function(*given)


def cases():
    """Name, model, inputs."""
    randn = torch.randn
    return [
        ("conv3d", nn.Conv3d(16, 32, 3, padding=1), (randn(1, 16, 8, 28, 28),)),
        (
            "conv3d, stride 2",
            nn.Conv3d(3, 32, (3, 7, 7), stride=(1, 2, 2), padding=(1, 3, 3)),
            (randn(1, 3, 8, 56, 56),),
        ),
        ("conv3d, one tap", nn.Conv3d(64, 64, 1), (randn(1, 64, 8, 14, 14),)),
        (
            "conv_transpose2d",
            nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1),
            (randn(1, 64, 16, 16),),
        ),
        (
            "conv_transpose2d, 2x2",
            nn.ConvTranspose2d(64, 32, 2, stride=2),
            (randn(1, 64, 28, 28),),
        ),
        (
            "conv_transpose1d",
            nn.ConvTranspose1d(64, 32, 4, stride=2, padding=1),
            (randn(1, 64, 128),),
        ),
        (
            "conv_transpose3d",
            nn.ConvTranspose3d(16, 8, 2, stride=2),
            (randn(1, 16, 8, 14, 14),),
        ),
        (
            "conv2d, odd channels",
            nn.Conv2d(20, 37, 3, padding=1),
            (randn(1, 20, 28, 28),),
        ),
        (
            "conv2d, dilated",
            nn.Conv2d(64, 64, 3, padding=2, dilation=2),
            (randn(1, 64, 28, 28),),
        ),
        (
            "conv2d, groups",
            nn.Conv2d(64, 64, 3, padding=1, groups=4),
            (randn(1, 64, 28, 28),),
        ),
        (
            "conv2d, depthwise 7x7",
            nn.Conv2d(64, 64, 7, padding=3, groups=64),
            (randn(1, 64, 28, 28),),
        ),
        ("conv1d", nn.Conv1d(64, 64, 5, padding=2), (randn(1, 64, 256),)),
        (
            "conv1d, depthwise",
            nn.Conv1d(64, 64, 5, padding=2, groups=64),
            (randn(1, 64, 256),),
        ),
        ("avg_pool3d", nn.AvgPool3d(2), (randn(1, 32, 8, 28, 28),)),
        ("max_pool3d", nn.MaxPool3d(2), (randn(1, 32, 8, 28, 28),)),
        ("max_pool2d", nn.MaxPool2d(3, 2, 1), (randn(1, 64, 56, 56),)),
        ("adaptive_avg_pool2d", nn.AdaptiveAvgPool2d(7), (randn(1, 64, 30, 30),)),
        (
            "bilinear",
            Function(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear")),
            (randn(1, 32, 28, 28),),
        ),
        (
            "bicubic",
            Function(lambda x: F.interpolate(x, scale_factor=2, mode="bicubic")),
            (randn(1, 32, 28, 28),),
        ),
        (
            "nearest",
            Function(lambda x: F.interpolate(x, scale_factor=2)),
            (randn(1, 32, 28, 28),),
        ),
        (
            "grid_sample",
            Function(lambda x, g: F.grid_sample(x, g)),
            (randn(1, 16, 28, 28), randn(1, 28, 28, 2)),
        ),
        (
            "grid_sample, nearest",
            Function(lambda x, g: F.grid_sample(x, g, mode="nearest")),
            (randn(1, 16, 28, 28), randn(1, 28, 28, 2)),
        ),
        (
            "grid_sample, volume",
            Function(lambda x, g: F.grid_sample(x, g)),
            (randn(1, 8, 8, 14, 14), randn(1, 8, 14, 14, 3)),
        ),
        ("group_norm", nn.GroupNorm(8, 64), (randn(1, 64, 28, 28),)),
        ("instance_norm", nn.InstanceNorm2d(64), (randn(1, 64, 28, 28),)),
        ("layer_norm", nn.LayerNorm(256), (randn(1, 64, 256),)),
        ("LSTM", nn.LSTM(64, 64, batch_first=True), (randn(1, 32, 64),)),
        ("GRU", nn.GRU(64, 64, batch_first=True), (randn(1, 32, 64),)),
        (
            "MultiheadAttention",
            nn.MultiheadAttention(64, 4, batch_first=True),
            (randn(1, 64, 64),) * 3,
        ),
        ("cumsum", Function(lambda x: x.cumsum(-1)), (randn(64, 256),)),
        ("cumsum, first dim", Function(lambda x: x.cumsum(0)), (randn(256, 64),)),
        ("sort", Function(lambda x: x.sort(-1)[0]), (randn(64, 256),)),
        ("topk", Function(lambda x: x.topk(5)[0]), (randn(64, 256),)),
        ("median", Function(lambda x: x.median(-1)[0]), (randn(64, 256),)),
        (
            "gather",
            Function(lambda x, i: x.gather(1, i)),
            (randn(64, 256), torch.randint(0, 256, (64, 256))),
        ),
        (
            "index",
            Function(lambda x, i: x[i]),
            (randn(1000, 64), torch.randint(0, 1000, (256,))),
        ),
        (
            "scatter_add",
            Function(lambda x, i: torch.zeros(64, 256).scatter_add(1, i, x)),
            (randn(64, 256), torch.randint(0, 256, (64, 256))),
        ),
        (
            "index_add",
            Function(lambda x, i, y: x.index_add(0, i, y)),
            (randn(256, 64), torch.randint(0, 256, (256,)), randn(256, 64)),
        ),
        (
            "EmbeddingBag",
            nn.EmbeddingBag(1000, 64),
            (torch.randint(0, 1000, (16, 32)),),
        ),
        (
            "einsum",
            Function(lambda a, b: torch.einsum("bhid,bhjd->bhij", a, b)),
            (randn(1, 4, 64, 32), randn(1, 4, 64, 32)),
        ),
        (
            "einsum, batches apart",
            Function(lambda a, b: torch.einsum("bijd,bjkd->bikd", a, b)),
            (randn(1, 16, 16, 32), randn(1, 16, 16, 32)),
        ),
        ("bmm", Function(torch.bmm), (randn(8, 64, 64), randn(8, 64, 64))),
        ("cdist", Function(torch.cdist), (randn(64, 32), randn(128, 32))),
        ("logsumexp", Function(lambda x: x.logsumexp(-1)), (randn(64, 256),)),
        (
            "softmax, channels",
            Function(lambda x: x.softmax(1)),
            (randn(1, 64, 28, 28),),
        ),
        ("var", Function(lambda x: x.var((2, 3))), (randn(1, 64, 28, 28),)),
        ("gelu", nn.GELU(), (randn(64, 1024),)),
        ("erf", Function(torch.erf), (randn(64, 1024),)),
        ("sin", Function(torch.sin), (randn(64, 1024),)),
        ("pow", Function(lambda x: x.abs() ** 1.7), (randn(64, 1024),)),
        ("log", Function(lambda x: (x.abs() + 1).log()), (randn(64, 1024),)),
        ("atan2", Function(torch.atan2), (randn(64, 1024), randn(64, 1024))),
        ("acos", Function(lambda x: x.tanh().acos()), (randn(64, 1024),)),
        ("sinh", Function(torch.sinh), (randn(64, 1024),)),
        ("exp2", Function(torch.exp2), (randn(64, 1024),)),
        ("mish", nn.Mish(), (randn(64, 1024),)),
        ("pixel_shuffle", nn.PixelShuffle(2), (randn(1, 64, 28, 28),)),
        ("unfold", nn.Unfold(3, padding=1), (randn(1, 16, 28, 28),)),
        ("fold", nn.Fold((28, 28), 3, padding=1), (randn(1, 144, 784),)),
        ("roll", Function(lambda x: x.roll((2, 3), (2, 3))), (randn(1, 64, 28, 28),)),
        ("rfft", Function(lambda x: torch.fft.rfft(x).abs()), (randn(64, 256),)),
        (
            "fft",
            Function(
                lambda x, y: torch.view_as_real(torch.fft.fft(torch.complex(x, y)))
            ),
            (randn(64, 256), randn(64, 256)),
        ),
        (
            "irfft",
            Function(lambda x, y: torch.fft.irfft(torch.complex(x, y))),
            (randn(64, 129), randn(64, 129)),
        ),
        ("rfft2", Function(lambda x: torch.fft.rfft2(x).abs()), (randn(4, 64, 64),)),
        (
            "permute",
            Function(lambda x: x.permute(0, 2, 3, 1).contiguous()),
            (randn(1, 64, 56, 56),),
        ),
        (
            "cat",
            Function(lambda x, y: torch.cat([x, y], 1)),
            (randn(1, 64, 28, 28), randn(1, 32, 28, 28)),
        ),
        ("reflection pad", nn.ReflectionPad2d(2), (randn(1, 64, 28, 28),)),
        ("Bilinear", nn.Bilinear(32, 32, 16), (randn(8, 32), randn(8, 32))),
        (
            "mm, f64",
            Function(torch.mm),
            (randn(128, 128).double(), randn(128, 128).double()),
        ),
        (
            "mm, i64",
            Function(torch.mm),
            (torch.randint(0, 9, (64, 64)), torch.randint(0, 9, (64, 64))),
        ),
        ("linear, bf16", nn.Linear(256, 256).bfloat16(), (randn(64, 256).bfloat16(),)),
        ("linear, f16", nn.Linear(256, 256).half(), (randn(64, 256).half(),)),
        ("prod", Function(lambda x: x.prod(-1)), (randn(64, 256),)),
        ("argmax", Function(lambda x: x.argmax(-1)), (randn(64, 256),)),
        ("argmax, channels", Function(lambda x: x.argmax(1)), (randn(1, 64, 28, 28),)),
        ("max, first dim", Function(lambda x: x.max(0)[0]), (randn(256, 64),)),
        ("normalize", Function(lambda x: F.normalize(x, dim=-1)), (randn(64, 256),)),
        ("cumprod", Function(lambda x: x.cumprod(-1)), (randn(64, 256),)),
        (
            "masked softmax",
            Function(
                lambda x: x.masked_fill(
                    torch.ones(64, 64).tril() == 0, float("-inf")
                ).softmax(-1)
            ),
            (randn(4, 64, 64),),
        ),
        ("solve", Function(torch.linalg.solve), (randn(16, 16), randn(16, 4))),
        ("inv", Function(torch.linalg.inv), (randn(16, 16),)),
    ]


def fastest(functions):
    """Name -> seconds of the fastest call, the functions in turns."""
    calls = {}
    for name, function in functions.items():
        function()
        start = time.perf_counter()
        function()
        spent = max(time.perf_counter() - start, 1e-7)
        calls[name] = max(1, min(MOST_CALLS, int(CHUNK / spent)))
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(ROUNDS):
        for name, function in functions.items():
            start = time.perf_counter()
            for _ in range(calls[name]):
                function()
            best[name] = min(best[name], (time.perf_counter() - start) / calls[name])
    return best


def measure(name, model, given, net):
    """One row of the table."""
    with torch.inference_mode():
        times = fastest({"eager": lambda: model(*given), "ours": lambda: net(*given)})
    return {
        "operator": name,
        "eager us": f"{times['eager'] * 1e6:,.1f}",
        "ours us": f"{times['ours'] * 1e6:,.1f}",
        "x": f"{times['eager'] / times['ours']:.2f}",
    }


def rows(names=()):
    """The table; of operators of which a name is a part, if there are any."""
    torch.manual_seed(0)
    chosen = [
        (name, model.eval(), given)
        for name, model, given in cases()
        if not names or any(part in name for part in names)
    ]
    # All are compiled before the first is timed.
    nets = [dycl.compile(model, given, threads=1) for _, model, given in chosen]
    with one_thread():
        return [measure(*case, net) for case, net in zip(chosen, nets, strict=True)]


def page(table):
    """The rows as a page of the documentation."""
    heads = list(table[0])
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    lines += [f"| {' | '.join(row.values())} |" for row in table]
    slower = [row["operator"] for row in table if float(row["x"]) < 1]
    return PAGE.format(
        machine=", ".join(f"{name} {value}" for name, value in facts().items()),
        date=datetime.now(UTC).date(),
        table="\n".join(lines),
        slower="; ".join(slower) or "none",
    )


PAGE = """# Single operators

`python -m bench.ops --write docs/speed/ops.md` compiles each operator as a model of \
its own, and calls it in turns with torch's, on one thread: microseconds of the \
fastest call, what a call costs included, and eager's time as a multiple of ours.

{machine}; {date}.

{table}

Slower than eager: {slower}.
"""


def main(argv=None):
    """Measure what the command line names, or all."""
    parser = argparse.ArgumentParser("python -m bench.ops", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PART OF A NAME")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    args = parser.parse_args(argv)
    show_facts()
    table = rows(args.names)
    print(text(table))
    if args.write:
        args.write.write_text(page(table), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
