"""The networks of `examples/` through the driver without a GPU, as graphs.

    python test/unit/cuda/paper_examples.py [NAME ...]
    python test/unit/cuda/paper_examples.py 90 [NAME ...]      as PTX for 9.0

Each runs on inputs that take, together, every side of its decisions that its examples
take; values and paths have to be eager's. A line says how many nodes and functions ran.
"""

import gc
import importlib
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch
from fake_driver import FakeDriver, build

import dycl
from dycl.checking.values import TOLERANCES, largest_relative
from dycl.diag import CompileError
from dycl.runtime.cuda import driver

CAPABILITIES = {80: (10, 0), 90: (9, 0)}
"""Of GPUs that know conditional nodes, by the architecture of their PTX."""
ROOT = Path(__file__).resolve().parents[3]
NAMES = [
    path.stem
    for path in sorted((ROOT / "examples").glob("*.py"))
    if "\ndef cases(" in path.read_text(encoding="utf-8")
]


def of_each_side(ours, inputs):
    """Those of the inputs that take a side which none before has taken; the sides."""
    chosen, sides = [], set()
    for given in inputs:
        ours(*given)
        taken = {(d.name, d.line, d.taken) for d in ours.path}
        if not chosen or not taken <= sides:
            chosen.append(given)
            sides |= taken
    return chosen, sides


def run(gpu, model, inputs, most=None):
    """Run a network on a GPU of paper, on `most` of the inputs; what there is to say.

    AssertionError: a value or a path is not eager's.
    """
    ours = dycl.compile(model, inputs[0], backend="reference")
    chosen, sides = of_each_side(ours, inputs)
    nodes = gpu.nodes
    net = dycl.compile(model, inputs[0], backend="cuda")
    start = time.perf_counter()
    before, graphs = len(gpu.launches), gpu.graph_launches
    worst = 0.0
    for given in chosen[:most]:
        with torch.no_grad():
            expected = model(*given)
        found = net(*given)
        ours(*given)
        assert [d.taken for d in net.path] == [d.taken for d in ours.path]
        worst = max(worst, largest_relative(found, expected))
    assert worst <= TOLERANCES["float32"]
    return (
        f"{len(chosen[:most])} inputs, {len(sides)} of {2 * len(net.decisions)} sides, "
        f"{gpu.nodes - nodes} nodes, {gpu.graph_launches - graphs} graph launches, "
        f"{len(gpu.launches) - before} functions in "
        f"{time.perf_counter() - start:.1f} s, within {worst:.0e}"
    )


def main(names):
    """Run examples, by their names; how many were not right."""
    wrong, architecture = 0, 80
    if names[:1] == ["90"]:
        architecture, names = 90, names[1:]
    library = build(Path(tempfile.mkdtemp()))
    driver.LIBRARY = str(library)
    for name in names or NAMES:
        for number, (model, inputs) in enumerate(
            importlib.import_module(f"examples.{name}").cases()
        ):
            driver.device.cache_clear()
            gpu = FakeDriver(library, 1 << 27)
            gpu.capability = CAPABILITIES[architecture]
            try:
                said = run(gpu, model, inputs)
            except AssertionError as error:
                said, wrong = f"WRONG: {error}", wrong + 1
            except (CompileError, RuntimeError) as error:
                said = f"{type(error).__name__}: {str(error).splitlines()[0]}"
            print(f"{name} {number + 1}: {said}", flush=True)
            gc.collect()
    return wrong


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
