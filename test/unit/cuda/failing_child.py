"""A network for a GPU and the processor, of which every function is a trap.

    python test/unit/cuda/failing_child.py FOLDER [LIBRARY] [WAITS]

LIBRARY is the driver without a GPU; WAITS asks for DYCL_CUDA_SYNC. What two calls say,
and what the process gives from then on and by which code, is printed as JSON.
"""

import json
import os
import sys
import traceback
from pathlib import Path

import numpy as np

import dycl
from dycl.runtime.cuda import CudaError, driver


def main(folder, library="", waits=""):
    """Print what has been said and found."""
    if waits:
        os.environ["DYCL_CUDA_SYNC"] = waits
    if library:
        sys.path.insert(0, str(Path(__file__).parent))
        from fake_driver import FakeDriver

        driver.LIBRARY = library
        gpu = FakeDriver(library)
        gpu.capability = (10, 0)
    load = driver.Device.load

    def trapped(self, ptx, entry, shared):
        return load(self, ptx.replace("\tret;", "\ttrap;\n\tret;"), entry, shared)

    driver.Device.load = trapped
    x = np.load(Path(folder) / "input.npy")
    net = dycl.load(Path(folder) / "net.dycl")
    said = []
    for _ in range(2):
        try:
            net(x)
            raise AssertionError("no function has failed")
        except CudaError as error:
            said.append(str(error))
    net = dycl.load(Path(folder) / "net.dycl")
    results = [one.tolist() for one in net(x)]
    print(json.dumps([*said, results, net.target]), flush=True)


if __name__ == "__main__":
    status = 1
    try:
        main(*sys.argv[1:])
        status = 0
    except BaseException:
        traceback.print_exc()
    os._exit(status)  # What is left would give memory back to a driver that is gone.
