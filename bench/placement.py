"""`backend="auto"` against each backend alone: `python -m bench.placement NAME...`.

A table of microseconds by path. All networks of a path take turns, so that what slows
the machine slows all of them; the shortest call counts. `ratio` is the best backend
alone over "auto": below 0.95 the placement is at fault, unless `same`, our own code in
one network over the same code in another one, is as far from 1.
"""

import argparse
import statistics
import time

import torch

import dycl
from bench.subjects import make, recipes

BACKENDS = ("auto", "cpu", "onnxruntime", "openvino")
AGAIN = "cpu again"
ROUNDS = 15


def main(argv=None):
    """Print the table of each network that is named, or of all."""
    parser = argparse.ArgumentParser(prog="python -m bench.placement")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(recipes())}")
    names = parser.parse_args(argv).names or list(recipes())
    torch.set_num_threads(1)
    for name in names:
        show(make(name))


def show(subject):
    """The table of a network."""
    nets = {
        b: dycl.compile(subject.model, subject.inputs[0], backend=b) for b in BACKENDS
    }
    nets[AGAIN] = dycl.compile(subject.model, subject.inputs[0], backend="cpu")
    chosen = [row.backend for row in nets["auto"].placement.rows]
    counts = ", ".join(f"{chosen.count(name)} {name}" for name in sorted({*chosen}))
    print(f"\n{subject.name}: auto gives kernels to {counts}", flush=True)
    heads = "".join(f"{b:>13}" for b in BACKENDS)
    print(f"{'path':>10}{heads}{'ratio':>8}{'same':>8}")
    ratios = []
    for label, inputs in zip(subject.labels, subject.inputs, strict=True):
        times = fastest(
            {b: lambda net=net, a=inputs: net(*a) for b, net in nets.items()}
        )
        ratios.append(min(times[b] for b in BACKENDS[1:]) / times["auto"])
        cells = "".join(f"{times[b] * 1e6:13.1f}" for b in BACKENDS)
        same = times["cpu"] / times[AGAIN]
        print(f"{label:>10}{cells}{ratios[-1]:8.2f}{same:8.2f}", flush=True)
    print(f"geometric mean of ratios {statistics.geometric_mean(ratios):.2f}")


def fastest(calls):
    """Seconds of the shortest call of each."""
    result = {}
    for name, call in calls.items():
        call()
        result[name] = float("inf")
    for _ in range(ROUNDS):
        for name, call in calls.items():
            call()  # What the one before has left in the caches is gone then.
            start = time.perf_counter()
            call()
            result[name] = min(result[name], time.perf_counter() - start)
    return result


if __name__ == "__main__":
    main()
