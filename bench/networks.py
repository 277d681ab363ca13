"""Run time of the example networks against eager, path by path.

Compiled and eager run in turns, one thread each, so that whatever else the machine does
falls on both. The ratio is that of the fastest runs; medians stand beside them.

`untaken branch`: every kernel's own time is taken first, on all paths together. A path
should then cost the sum of the kernels that it launches, and nothing for the others.
"""

import importlib
import statistics
import time
from dataclasses import dataclass

import torch

from bench.kernel_clock import KernelClock
from bench.torch_compiled import torch_compiled

NAMES = ("skipnet", "shallow_deep_resnet", "blockdrop")


@dataclass
class Path:
    """One way through a network, and an input that takes it."""

    label: str
    arguments: tuple
    launches: list
    """The kernels that it launches, by name, in order."""


def chosen(names, full_size=False):
    """[(name, model, inputs)]: each example's case that takes every decision both ways.

    `full_size` adds the others: Shallow-Deep as published, for 256x256 images.
    """
    found = []
    for name in names:
        for model, inputs in importlib.import_module(f"examples.{name}").cases():
            if len(inputs) > 1 or full_size:
                shape = "x".join(map(str, inputs[0][0].shape))
                found.append((f"{name} {shape}", model, inputs))
    return found


def measure_all(compiled, rounds, peers=False):
    """Rows of the two tables, for all that `compile_time.compile_case` returned."""
    rows, sums = [], []
    for compilation, model, inputs in compiled:
        measured = measure(compilation, model, inputs, rounds, peers)
        rows += measured[0]
        sums += measured[1]
    return rows, sums


def measure(compilation, model, inputs, rounds, peers=False):
    """Rows of both tables for one network."""
    net = compilation.net
    launches = net.stages["hcfg"].count("dycl.launch @")
    clock = KernelClock(net)
    paths = select(find_paths(clock, inputs))
    peer = torch_compiled(model, [path.arguments for path in paths]) if peers else None
    rows, alone = [], []
    for path in paths:
        sides = [net, model, *([peer.run] if peer and peer.run is not None else [])]
        fastest, medians = race(sides, path.arguments, rounds)
        row = {
            "network": compilation.network,
            "way": path.label,
            "compiled": fastest[0],
            "its median": medians[0],
            "eager": fastest[1],
            "eager's median": medians[1],
            "eager / compiled": fastest[1] / fastest[0],
        }
        if peer:
            row["torch.compile"] = fastest[2] if peer.run is not None else peer.why
        rows.append(row)
        # Alone: eager in between would leave cold caches, which no kernel's time has.
        (own, _), _ = race([net, clock], path.arguments, rounds)
        alone.append(own)
    sums = []
    for path, own in zip(paths, alone, strict=True):
        kernels = sum(map(clock.fastest, path.launches)) * 1e3
        sums.append(
            {
                "network": compilation.network,
                "way": path.label,
                "launches": len(path.launches),
                "of": launches,
                "path": own,
                "its kernels": kernels,
                "host": own - kernels,
                "path / kernels": own / kernels,
            }
        )
    return rows, sums


def find_paths(clock, inputs):
    """The distinct paths that the inputs take, those with least work first."""
    found = {}
    for arguments in inputs:
        key, launches = clock.run(arguments)
        found.setdefault(key, Path("", arguments, launches))
    return sorted(
        found.values(), key=lambda path: sum(map(clock.fastest, path.launches))
    )


def select(paths):
    """The cheapest path, the middle one and the dearest, labelled."""
    last = len(paths) - 1
    places = {"cheapest": 0, "dearest": last, "middle": (last + 1) // 2}
    if not last:
        places = {"the only": 0}
    chosen_paths = {}
    for label, place in places.items():
        if place not in chosen_paths:
            paths[place].label = label
            chosen_paths[place] = paths[place]
    return [chosen_paths[place] for place in sorted(chosen_paths)]


def race(sides, arguments, rounds):
    """Milliseconds of each side, run in turns: the fastest runs, the medians."""
    times = [[] for _ in sides]
    with torch.no_grad():
        for turn in range(rounds + 1):
            for side, run in enumerate(sides):
                start = time.perf_counter()
                run(*arguments)
                if turn:  # the first turn warms up
                    times[side].append((time.perf_counter() - start) * 1e3)
    return [min(t) for t in times], [statistics.median(t) for t in times]
