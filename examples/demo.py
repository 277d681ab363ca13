"""The main job, end to end: compile SkipNet-38 and run 360 digits it has never seen.

Run it with `make demo`, or `python -m examples.demo`. For each image it compares the
prediction and the path with eager, then times the most common paths side by side.
"""

import sys
import time
from pathlib import Path

import torch

import dycl
from dycl.report import progress_on
from examples import skipnet
from examples.compare import compare
from examples.digits import digits

SHOWN = 6
"""How many of the most common paths are timed and printed."""

ROUNDS = 12
"""How often each side runs on each path; the fastest run counts."""


def main():
    """Compile, compare, time; returns the exit status (0: all equal)."""
    if not skipnet.WEIGHTS.exists():
        print(f"the trained weights are missing: {skipnet.WEIGHTS}", file=sys.stderr)
        return 1
    torch.set_num_threads(1)  # as a compiled network runs; and two threads only wait
    keep = Path("build/demo")
    model, inputs = skipnet.build(), skipnet.example_inputs()
    print("SkipNet-38 (examples/skipnet.py), trained on handwritten digits\n")
    with progress_on(sys.stderr) as listener:
        net = dycl.compile(model, inputs, keep=keep, listener=listener)
    print_decisions(net)
    _, _, images, labels = digits()
    batches = [(image[None],) for image in images]
    result = compare(net, model, batches, progress=count)
    print(file=sys.stderr)
    predictions = torch.stack([net(*b)[0].argmax() for b in batches])
    accuracy = (predictions == labels).float().mean()
    print(f"\n{len(batches)} images that were held back")
    print(f"  accuracy            {accuracy:.1%}")
    print(f"  equal predictions   {result.equal_predictions} of {result.runs}")
    print(f"  equal values        {result.equal_values} of {result.runs}", end="")
    print(f"  (largest relative difference {result.worst:.1e})")
    print(f"  equal paths         {result.equal_paths} of {result.runs}")
    print(f"  distinct paths      {len(result.paths)} of {2 ** len(net.decisions):,}")
    both = sum(sides == {True, False} for sides in result.sides.values())
    print(f"  decisions that went both ways   {both} of {len(net.decisions)}\n")
    time_paths(net, model, batches, result)
    print(f"\nthe program at every stage, and its picture: {keep}/")
    return 0 if result.all_equal else 1


def print_decisions(net):
    """List what the compiler found that only the data can decide."""
    print(f"\n{len(net.decisions)} decisions depend on the image:")
    for name, test, file, line in net.decisions:
        print(f"  {name:28} if {test:12} {file}:{line}")


def count(result):
    """Say how far the comparison is, on a terminal only."""
    if sys.stderr.isatty():
        print(f"\rcomparing with eager: {result.runs}", end="", file=sys.stderr)


def time_paths(net, model, batches, result):
    """Print milliseconds per image, compiled and eager alternating, one thread each."""
    common = sorted(result.paths.items(), key=lambda item: -len(item[1]))
    print("the most common paths   blocks run   images   compiled      eager    ratio")
    for path, positions in common[:SHOWN]:
        arguments = batches[positions[0]]
        compiled, eager = race(net, model, arguments)
        shown = "".join("." if skipped else "#" for skipped in path)
        print(
            f"  {shown:22}{path.count(False):8}{len(positions):11}"
            f"{compiled * 1e3:9.2f} ms{eager * 1e3:8.2f} ms{eager / compiled:8.2f}x"
        )


def race(net, model, arguments):
    """Fastest of several alternating runs, in seconds: compiled, eager."""
    best = [float("inf"), float("inf")]
    with torch.no_grad():
        for _ in range(ROUNDS):
            for side, run in enumerate((net, model)):
                start = time.perf_counter()
                run(*arguments)
                best[side] = min(best[side], time.perf_counter() - start)
    return best


if __name__ == "__main__":
    sys.exit(main())
