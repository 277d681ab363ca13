"""`python -m bench.cuda`: the example networks on an NVIDIA GPU, against eager.

python -m bench.cuda --prepare DIR [NAME ...]    compile them; no GPU is needed
python -m bench.cuda DIR                         run them; NumPy and the driver will do
python -m bench.cuda DIR --peers eager compile   and torch on the same GPU
python -m bench.cuda --paper [NAME ...]          what they cost on an H100, on paper
python -m bench.cuda --write --paper [NAME ...]  the same, on docs/speed/cuda-paper.md

The first command takes the compiler, the second takes what the first has written, and a
checkout for the peers. Inputs are those that take each decision both ways. All values
are compared with what eager gave on the CPU, and all paths with those of the native
host. Milliseconds are medians of calls at batch 1, an input for each path: of DyCL from
NumPy arrays and back, of the peers on tensors that are on the device. The exit status
is 1 if a value or a path differs, 2 if there is no GPU or nothing to run.
"""

import argparse
import importlib
import json
import pkgutil
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import dycl

MOST = 16
"""Inputs of a network."""
SECONDS = 0.3
"""Of each measurement."""
CLOSE = 1e-4
"""The largest difference, relative to the largest number of a tensor."""
SEED = 0


def main(argv=None):
    """Prepare, or run; the exit status."""
    parser = make_parser()
    options = parser.parse_args(argv)
    if options.paper is not None:
        from bench.cuda_paper import PAGE, paper

        return paper(options.paper, PAGE if options.write else None)
    if options.folder is None:
        parser.error("say which folder: --prepare DIR writes networks into it first")
    if options.prepare:
        options.folder.mkdir(parents=True, exist_ok=True)
        for name in options.names or examples():
            print(f"{name:24}{prepared(name, options.folder)}", flush=True)
        return 0
    files = sorted(options.folder.glob("*.dycl"))
    if not files:
        parser.error(f"no networks are in {options.folder}: --prepare writes them")
    from dycl.runtime.cuda import CudaError, device

    try:
        gpu = device()
    except CudaError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{gpu}, NumPy {np.__version__}")
    found = [run(file) for file in files]
    for peer in options.peers:
        race(peer, options.folder)
    wrong = sum(not ok for ok in found)
    print(f"{len(found) - wrong} networks are right, {wrong} are not")
    return 1 if wrong else 0


def make_parser():
    """What the command takes."""
    parser = argparse.ArgumentParser("bench.cuda", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("folder", type=Path, metavar="DIR", nargs="?")
    add("names", nargs="*", metavar="NAME", help="of examples, to prepare (all)")
    add("--prepare", action="store_true", help="compile, and write into DIR")
    add("--paper", nargs="*", metavar="NAME", help="the cost of paths, on paper")
    add("--write", action="store_true", help="with --paper: and on the page in docs")
    add("--peers", nargs="+", default=[], choices=["eager", "compile"])
    return parser


def examples():
    """The examples that have inputs for every path."""
    package = importlib.import_module("examples")
    modules = pkgutil.iter_modules(package.__path__)
    names = [module.name for module in modules if not module.ispkg]
    folder = Path(package.__path__[0])
    return [n for n in names if "\ndef cases(" in (folder / f"{n}.py").read_text()]


def built(name):
    """The model of an example, and its inputs."""
    import torch

    torch.manual_seed(SEED)
    return importlib.import_module(f"examples.{name}").cases()[0]


def prepared(name, folder):
    """Write a network, inputs, and what eager gives; what has come of it, in words."""
    model, inputs = built(name)
    if not all(hasattr(value, "numpy") for value in inputs[0]):
        return "left out: an input is no tensor"
    try:
        net = dycl.compile(model, inputs[0], backend="cuda")
    except dycl.CompileError as error:
        return f"left out: {str(error).splitlines()[0]}"
    native = dycl.compile(model, inputs[0])
    arrays, paths, sides = {}, [], set()
    for number, given in enumerate(inputs[:MOST]):
        for i, value in enumerate(given):
            arrays[f"in_{number}_{i}"] = value.numpy().copy()
        for i, value in enumerate(leaves(model(*given))):
            arrays[f"out_{number}_{i}"] = value
        native(*given)
        paths.append([[d.name, d.taken] for d in native.path])
        sides |= {(d.name, d.taken) for d in native.path}
    net.save(folder / f"{name}.dycl")
    np.savez(folder / f"{name}.npz", **arrays)
    (folder / f"{name}.json").write_text(json.dumps(paths))
    count = len(native.decisions)
    return f"{len(paths)} inputs, {len(sides)} of {2 * count} sides of decisions"


def leaves(value):
    """The tensors and numbers of a result as arrays."""
    if value is None:
        return []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [leaf for one in value for leaf in leaves(one)]
    return [value.detach().numpy() if hasattr(value, "detach") else np.asarray(value)]


def kept(file):
    """Inputs, outputs, and paths of a network, by case."""
    paths = json.loads(file.with_suffix(".json").read_text())
    arrays = np.load(file.with_suffix(".npz"))

    def all_of(kind, number):
        names = [n for n in arrays.files if n.startswith(f"{kind}_{number}_")]
        return [arrays[n] for n in sorted(names, key=lambda n: int(n.split("_")[2]))]

    return [(all_of("in", i), all_of("out", i), path) for i, path in enumerate(paths)]


def run(file):
    """Compare and time a network; whether all is right."""
    begun = time.perf_counter()
    net = dycl.load(file)
    loaded = time.perf_counter() - begun
    wrong, worst, of_path = [], 0.0, {}
    for number, (given, expected, path) in enumerate(kept(file)):
        for _ in range(3):  # a kernel's graph runs from the second call on
            found = leaves(net(*given))
        if [[d.name, d.taken] for d in net.path] != path:
            wrong.append(f"input {number} takes another path")
            continue
        if len(found) != len(expected):
            wrong.append(f"input {number} gives {len(found)} values")
        differ = [difference(*pair) for pair in zip(found, expected, strict=False)]
        worst = max([worst, *differ])
        if worst > CLOSE:
            wrong.append(f"input {number} differs by {worst:.0e}")
        of_path.setdefault(json.dumps(path), given)
    said = "; ".join(wrong[:2]) or f"right, within {worst:.0e}"
    times = [milliseconds(lambda g=g: net(*g)) for g in of_path.values()]
    show("DyCL", file.stem, times, f"{said}; {len(times)} paths; load {loaded:.1f} s")
    return not wrong


def difference(found, expected):
    """How far arrays are apart, relative to the largest number; inf: not alike."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return float("inf")
    if found.dtype.kind != "f":
        return 0.0 if np.array_equal(found, expected) else float("inf")
    usual = np.isfinite(expected)
    if not np.array_equal(found[~usual], expected[~usual], equal_nan=True):
        return float("inf")
    if not usual.any():
        return 0.0
    largest = np.abs(expected[usual]).max() + 1e-3
    return float(np.abs(found[usual] - expected[usual]).max() / largest)


def milliseconds(call):
    """The median time of a call that ends when all is done."""
    for _ in range(5):
        call()
    times, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < 5:
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return 1e3 * statistics.median(times)


def race(peer, folder):
    """Time torch on the same inputs and the same GPU."""
    import torch

    torch.set_grad_enabled(False)
    for file in sorted(folder.glob("*.dycl")):
        of_path = {json.dumps(path): given for given, _, path in kept(file)}
        try:
            model = built(file.stem)[0].cuda()
            fast = torch.compile(model) if peer == "compile" else model

            def call(given, fast=fast):
                fast(*given)
                torch.cuda.synchronize()

            times = []
            for given in of_path.values():
                tensors = [torch.from_numpy(value).cuda() for value in given]
                times.append(milliseconds(lambda tensors=tensors: call(tensors)))
        except Exception as error:
            print(f"{file.stem:24}{peer:8} none: {str(error).splitlines()[0][:70]}")
        else:
            show(peer, file.stem, times, "")


def show(who, name, times, said):
    """A line of the report."""
    few, many = min(times, default=0.0), max(times, default=0.0)
    print(f"{name:24}{who:8}{few:9.3f} to {many:8.3f} ms  {said}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
