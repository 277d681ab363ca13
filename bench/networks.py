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
from bench.peers import torch_compiled

NAMES = ("skipnet", "shallow_deep_resnet", "blockdrop")


@dataclass
class Path:
    """One way through a network, and an input that takes it."""

    label: str
    arguments: tuple
    launches: list
    """The kernels that it launches, by name, in order."""
    kernels: float
    """Seconds that these kernels take on their own."""


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
    name, net = compilation.network, compilation.net
    all_launches = net.stages["hcfg"].count("dycl.launch @")
    rows, sums = [], []
    paths = select(find_paths(net, inputs))
    peer = torch_compiled(model, [path.arguments for path in paths]) if peers else None
    for path in paths:
        sides = [net, model, *([peer.run] if peer and peer.run else [])]
        times = race(sides, path.arguments, rounds)
        (best, middle), (eager, eager_middle) = times[:2]
        head = {"network": name, "path": path.label}
        row = {
            **head,
            "compiled": best * 1e3,
            "median": middle * 1e3,
            "eager": eager * 1e3,
            "its median": eager_middle * 1e3,
            "eager / compiled": eager / best,
        }
        if peer:
            fast = times[2][0] * 1e3 if peer.run else peer.why
            row["torch.compile"] = fast
        rows.append(row)
        sums.append(
            {
                **head,
                "launches": len(path.launches),
                "of": all_launches,
                "path ms": best * 1e3,
                "its kernels ms": path.kernels * 1e3,
                "host ms": (best - path.kernels) * 1e3,
                "path / kernels": best / path.kernels,
            }
        )
    return rows, sums


def find_paths(net, inputs, repeats=3):
    """The distinct paths that the inputs take, cheapest first."""
    clock = KernelClock(net)
    found = {}
    for arguments in inputs:
        for _ in range(repeats):
            key, launches = clock.run(arguments)
        found.setdefault(key, (arguments, launches))
    paths = [
        Path("", arguments, launches, sum(map(clock.fastest, launches)))
        for arguments, launches in found.values()
    ]
    return sorted(paths, key=lambda path: path.kernels)


def select(paths):
    """The cheapest path, the middle one and the dearest, labelled."""
    places = {"cheapest": 0, "middle": len(paths) // 2, "dearest": len(paths) - 1}
    chosen_paths = {}
    for label, place in places.items():
        if place not in chosen_paths:
            paths[place].label = label
            chosen_paths[place] = paths[place]
    return list(chosen_paths.values())


def race(sides, arguments, rounds):
    """(fastest, median) seconds of each side, run in turns."""
    times = [[] for _ in sides]
    with torch.no_grad():
        for turn in range(rounds + 1):
            for side, run in enumerate(sides):
                start = time.perf_counter()
                run(*arguments)
                if turn:  # the first turn warms up
                    times[side].append(time.perf_counter() - start)
    return [(min(t), statistics.median(t)) for t in times]
