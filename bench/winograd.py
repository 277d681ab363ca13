"""`python -m bench.winograd [--target T]`: convolutions of 3x3 by each kind of tiles.

The same kernel from the definition and from tiles of 2x2 and 4x4, in turns with eager
on one thread; fastest calls in microseconds, and the largest error against f64. The
rule in `dycl/schedules/winograd.py` is read off this table: `rule` is what it takes.
"""

import argparse
from unittest.mock import patch

import torch

from bench.kernels import convolution, prepared
from bench.machine import add_target, one_thread, show_facts
from bench.rows import race
from bench.table import text
from dycl.schedules import winograd

SHAPES = (
    *((16, 32), (32, 16), (64, 8), (32, 32), (64, 16), (64, 32), (128, 16)),
    *((64, 56), (128, 28), (256, 14), (512, 7), (24, 17), (64, 31), (32, 112)),
    *((128, 8), (256, 8), (128, 14), (256, 28), (512, 14), (64, 28)),
    *((16, 256), (32, 128), (64, 64), (64, 128), (128, 56)),
)
KINDS = {"definition": 0, "2x2": 2, "4x4": 4}


def measure(channels, size, batch, target):
    """One row: a convolution with as many filters as channels."""
    work = convolution(channels, channels, size, 3, "", batch=batch)
    rule = winograd.tile_of(channels, channels, size, size, batch)
    exact = work.function(*(tensor.double() for tensor in work.tensors))
    runs, row, kept = {}, {"work": f"{channels}@{size}, batch {batch}"}, []
    for name, tile in KINDS.items():
        with patch.object(winograd, "tile_of", lambda *_, tile=tile: tile):
            runs[name], (out,), buffers = prepared(work, target)
        kept.append((out, buffers))
        runs[name]()
        row[f"error {name}"] = f"{(out - exact).abs().max():.1e}"
    runs["eager"] = lambda: work.function(*work.tensors)
    times = race(runs)
    for name, (fastest, _) in times.items():
        row[f"{name} us"] = f"{fastest * 1e6:.1f}"
    best = min(KINDS, key=lambda name: times[name][0])
    row["best"] = f"{best} {times['definition'][0] / times[best][0]:.2f}x"
    row["rule"] = {tile: name for name, tile in KINDS.items()}[rule]
    return row


def main(argv=None):
    """Measure all shapes, alone and eight at a time."""
    parser = argparse.ArgumentParser("python -m bench.winograd")
    add_target(parser)
    arguments = parser.parse_args(argv)
    show_facts(target=arguments.target)
    torch.manual_seed(0)
    with one_thread(), torch.no_grad():
        rows = [
            measure(channels, size, batch, arguments.target)
            for batch in (1, 8)
            for channels, size in SHAPES
            if batch == 1 or channels * size * size <= 64 * 32 * 32
        ]
    print(text(rows))


if __name__ == "__main__":
    main()
