"""A saved network where there are NumPy and a driver, and no other package.

    python -S -E test/unit/cuda/alone_child.py LIBRARY PACKAGES NET INPUTS ROOT

LIBRARY is the driver without a GPU, PACKAGES a folder with NumPy alone, INPUTS arrays
of one argument. What the network gives for each, by a graph and by the host, and what
has been imported, is printed as JSON.
"""

import json
import os
import sys
import traceback

# The standard library, what is given, and this folder, which has the driver.
sys.path += [sys.argv[2], sys.argv[5]]

import numpy as np
from fake_driver import FakeDriver

import dycl
from dycl.runtime.cuda import driver

STANDARD = {*sys.stdlib_module_names, "__main__"}
OF_TESTS = {"fake_driver", "ptx_machine"}


def run(library, path, inputs, capability):
    """What is given for each input, and how many graphs and functions were launched."""
    driver.device.cache_clear()
    gpu = FakeDriver(library, 1 << 20)
    gpu.capability = capability
    net = dycl.load(path)
    found = []
    for x in inputs:
        results = net(x)
        assert all(type(result) is np.ndarray for result in results)
        taken = [[decision.name, decision.taken] for decision in net.path]
        found.append([[result.tolist() for result in results], taken])
    counts = {"graphs": gpu.graph_launches, "launches": gpu.direct_launches}
    return {"target": net.target, "found": found, **counts}


def main(library, packages, path, inputs, root):
    """Print what has been found."""
    driver.LIBRARY = library
    ways = {"graph": (10, 0), "host": (8, 0)}
    given = np.load(inputs)
    found = {way: run(library, path, given, of) for way, of in ways.items()}
    # What has no file is made by others, as Cython's modules are.
    files = [name for name, one in sys.modules.items() if getattr(one, "__file__", "")]
    imported = {name.partition(".")[0] for name in files}
    found["imported"] = sorted(imported - STANDARD - OF_TESTS)
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    status = 1
    try:
        main(*sys.argv[1:])
        status = 0
    except BaseException:
        traceback.print_exc()
    os._exit(status)  # What is left would give memory back to a driver that is gone.
