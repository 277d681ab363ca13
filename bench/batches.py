"""`python -m bench.batches [PART OF A NAME] [--sizes 2 8 32] [--any]`: fixed batches.

A network compiled for so many images against a loop that calls the same compiled for
one; with `--any`, also against it compiled for batches of any size. One thread; the
median CPU time of a sample in microseconds, and the loop's as a multiple of each.
"""

import argparse
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn

import dycl
from bench.dynamic_models import mobilenet, resnet
from bench.machine import one_thread, show_facts
from bench.row_paths import race
from bench.table import text


def convolutions(channels, size=3, stride=1, groups=1, depth=3):
    """Some of a kind, each with what follows it in a network."""
    parts = []
    for number in range(depth):
        step = stride if number == 0 else 1
        args = (channels, channels, size, step, size // 2)
        parts += [nn.Conv2d(*args, groups=groups), nn.ReLU()]
    return nn.Sequential(*parts)


class Steps(nn.Module):
    """An LSTM over sixteen steps."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(256, 256, batch_first=True)

    def forward(self, x):
        """[n, 16, 256] to [n, 256]."""
        return self.lstm(x)[0][:, -1]


class Scaled(nn.Module):
    """A softmax over each image."""

    def forward(self, x):
        """As the image."""
        return F.softmax(x.flatten(2), -1)


def mlp():
    """Three wide layers."""
    widths = (512, 1024, 1024, 10)
    layers = [nn.Linear(*pair) for pair in pairwise(widths)]
    return nn.Sequential(*[part for one in layers for part in (one, nn.ReLU())])


def square(channels, side):
    """The shape of an image."""
    return (channels, side, side)


CASES = {
    **{
        f"3x3 {c}@{s}": (lambda c=c: convolutions(c), square(c, s))
        for c, s in (
            (64, 28),
            (16, 64),
            (64, 56),
            (32, 56),
            (64, 14),
            (256, 14),
            (512, 7),
            (32, 32),
            (128, 28),
        )
    },
    "one 3x3 64@28": (lambda: convolutions(64, depth=1), square(64, 28)),
    "one 3x3 64@56": (lambda: convolutions(64, depth=1), square(64, 56)),
    **{
        f"1x1 {c}@{s}": (lambda c=c: convolutions(c, 1), square(c, s))
        for c, s in ((64, 56), (256, 14), (512, 7))
    },
    **{
        f"strided {c}@{s}": (lambda c=c: convolutions(c, 3, 2), square(c, s))
        for c, s in ((64, 56), (128, 28))
    },
    **{
        f"depthwise {c}@{s}": (lambda c=c: convolutions(c, groups=c), square(c, s))
        for c, s in ((32, 112), (144, 56), (192, 28), (512, 14), (512, 7))
    },
    "max pool 64@56": (lambda: nn.MaxPool2d(3, 2, 1), square(64, 56)),
    "mean pool 64@28": (lambda: nn.AvgPool2d(2), square(64, 28)),
    "group norm 64@28": (
        lambda: nn.Sequential(nn.GroupNorm(8, 64), nn.ReLU()),
        square(64, 28),
    ),
    "instance norm 64@56": (
        lambda: nn.Sequential(nn.InstanceNorm2d(64), nn.ReLU()),
        square(64, 56),
    ),
    "softmax 16@28": (Scaled, square(16, 28)),
    "ResNet-18": (resnet, square(3, 224)),
    "MobileNetV2": (mobilenet, square(3, 224)),
    "MLP": (mlp, (512,)),
    "LSTM": (Steps, (16, 256)),
    "encoder": (lambda: encoder(), (16, 256)),
}


def encoder():
    """Two layers over sixteen tokens."""
    layers = (
        nn.TransformerEncoderLayer(256, 4, 512, 0.0, batch_first=True) for _ in range(2)
    )
    return nn.Sequential(*layers)


def each_sample(function, x):
    """What a function gives for each sample."""
    return [function(x[i : i + 1]) for i in range(len(x))]


def measure(make, shape, count, with_any):
    """A line of the table: of so many samples."""
    torch.manual_seed(0)
    model = make().eval()
    x = torch.randn(count, *shape)
    alone = dycl.compile(model, (x[:1],))
    fixed = dycl.compile(model, (x,))
    functions = {"loop": lambda: each_sample(alone, x), "fixed": lambda: fixed(x)}
    if with_any:
        size = {0: dycl.Dim("n")}
        some = dycl.compile(model, (x,), dynamic_shapes=(size,))
        functions["any"] = lambda: some(x)
    wanted = torch.cat(functions["loop"]())
    for function in list(functions.values())[1:]:
        torch.testing.assert_close(function(), wanted, rtol=1e-3, atol=1e-4)
    times = race(functions)
    loop = times["loop"]
    line = {"us a sample": f"{loop * 1e6 / count:.1f}"}
    return line | {k: f"{loop / v:.2f}x" for k, v in times.items() if k != "loop"}


def main():
    """Measure what the command line names, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 8, 32])
    parser.add_argument("--any", action="store_true")
    asked = parser.parse_args()
    show_facts()
    lines = []
    with one_thread(), torch.no_grad():
        for name, case in CASES.items():
            for count in asked.sizes if asked.name in name else ():
                line = measure(*case, count, asked.any)
                lines.append({"network": name, "batch": count} | line)
                print(*lines[-1].values(), flush=True)
    print(text(lines))


if __name__ == "__main__":
    main()
