"""`backend="auto"` against each backend alone: `python -m bench.placement NAME...`.

A table of microseconds by path, by the clock of the processor. All networks of a path
take turns, each round in another order, so that what slows the machine slows all of
them; the median of the rounds counts. Where no kernel is moved, `auto` is our own code,
kernel by kernel, and counts as one of its three networks.

`ratio` is "auto" over the best backend alone, round by round: above 1.05 the placement
is at fault, unless `same`, how far networks of our own code are from one another, is
as far from 1.
"""

import argparse
import statistics
import time

import torch

import dycl
from bench.subjects import make, recipes

BACKENDS = ("auto", "cpu", "onnxruntime", "openvino")
AGAIN = "cpu again"
ROUNDS, SECONDS = 15, 4.0
"""At least so many rounds of a path, and until so many seconds have passed."""


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
    print(f"{'path':>10}{''.join(f'{b:>13}' for b in BACKENDS)}{'ratio':>8}{'same':>8}")
    ours = ["cpu", AGAIN] + ["auto"] * ({*chosen} == {"cpu"})
    ratios = []
    for label, inputs in zip(subject.labels, subject.inputs, strict=True):
        calls = {b: lambda net=net, a=inputs: net(*a) for b, net in nets.items()}
        rounds = timed(calls)
        ratios.append(against_best(rounds, ours))
        cells = "".join(f"{1e6 * median(rounds, [b]):13.1f}" for b in BACKENDS)
        same = max(median(rounds, [b]) for b in ours) / min(
            median(rounds, [b]) for b in ours
        )
        print(f"{label:>10}{cells}{ratios[-1]:8.2f}{same:8.2f}", flush=True)
    print(f"geometric mean of ratios {statistics.geometric_mean(ratios):.2f}")


def timed(calls):
    """Rounds: the seconds of the processor that a call of each takes."""
    for call in calls.values():
        call()
    rounds, start, names = [], time.perf_counter(), list(calls)
    while len(rounds) < ROUNDS or time.perf_counter() - start < SECONDS:
        names.append(names.pop(0))
        took = {}
        for name in names if len(rounds) % 2 else names[::-1]:
            calls[name]()  # What the one before has left in the caches is gone then.
            begun = time.process_time()
            calls[name]()
            took[name] = time.process_time() - begun
        rounds.append(took)
    return rounds


def median(rounds, names):
    """The median of the rounds of networks that are one code."""
    return statistics.median(one[name] for one in rounds for name in names)


def against_best(rounds, ours):
    """The median of "auto" over the best backend alone."""
    auto = ours if "auto" in ours else ["auto"]
    alone = [[b for b in ours if b != "auto"], ["onnxruntime"], ["openvino"]]
    best = min(alone, key=lambda names: median(rounds, names))
    if {*best} <= {*auto}:
        return 1.0
    return statistics.median(
        statistics.fmean(one[b] for b in auto) / statistics.fmean(one[b] for b in best)
        for one in rounds
    )


if __name__ == "__main__":
    main()
