"""A saved network by `cuda-core`, as NVIDIA publishes it, on the driver without a GPU.

    LD_LIBRARY_PATH=FOLDER python test/unit/cuda/core_child.py FOLDER NET INPUTS

FOLDER has the library, NET is an artifact, INPUTS arrays of one argument. The host of
the artifact runs with services made of `cuda-core`, which loads the artifact's PTX and
launches it as the artifact says. Then our runtime takes tensors of `cuda-core`, which
takes its results. What both give is printed as JSON.
"""

import ctypes
import gc
import json
import os
import sys
import traceback
import zipfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from cuda.core import (
    Buffer,
    Device,
    LaunchConfig,
    LegacyPinnedMemoryResource,
    ObjectCode,
    launch,
)
from cuda.core.utils import StridedMemoryView
from fake_driver.for_core import CoreDriver

import dycl
from dycl.runtime.cuda import driver as ours

# What cuda-core gives back in a destructor calls the driver, which is Python here: it
# must not do so while an exception is on its way, as it may in a collection.
gc.disable()


class Core:
    """A device and a stream of `cuda-core`, and copies by way of pinned memory."""

    def __init__(self):
        self.device = Device(0)
        self.device.set_current()
        self.stream = self.device.create_stream()
        self.pinned = LegacyPinnedMemoryResource()

    def allocate(self, size):
        """So many bytes of the device, from its pool of memory."""
        return self.device.allocate(size, stream=self.stream)

    def upload(self, array):
        """An array as memory of the device."""
        host, made = self.pinned.allocate(array.nbytes), self.allocate(array.nbytes)
        ctypes.memmove(int(host.handle), array.ctypes.data, array.nbytes)
        made.copy_from(host, stream=self.stream)
        return made

    def download(self, buffer, dtype, shape):
        """What memory of the device has."""
        host = self.pinned.allocate(buffer.size)
        buffer.copy_to(host, stream=self.stream)
        self.stream.sync()
        return np.from_dlpack(host).view(dtype).reshape(shape).copy()


class Slot:
    """A tensor of the host, whose memory may be another one in each call."""

    def __init__(self, core, dtype, shape, buffer=None):
        self.core, self.dtype, self.shape = core, np.dtype(dtype), shape
        size = self.dtype.itemsize * int(np.prod(shape))
        self.buffer = core.allocate(size) if buffer is None else buffer

    def array(self):
        """Its elements."""
        return self.core.download(self.buffer, self.dtype, self.shape)

    def read(self):
        """Its only element, as a number."""
        return self.array().item()


class Services:
    """What a printed host calls `rt`, of what this network's one calls."""

    def __init__(self, core, path):
        self.core, self.weights, self.taken = core, dycl.load(path).weights, []
        with zipfile.ZipFile(path) as archive:
            kernels = json.loads(archive.read("cuda/kernels.json"))["80"]
            text = archive.read("host.py")
        self.kernels = {kernel["name"]: kernel for kernel in kernels}
        names = {}
        exec(text, names)  # The host is a text of ours.
        self.inputs, self.forward = names["INPUTS"], names["load"](self)

    def param(self, path, dtype, shape):
        array = np.ascontiguousarray(self.weights[path])
        return Slot(self.core, dtype, shape, self.core.upload(array))

    def buffer(self, dtype, shape):
        return Slot(self.core, dtype, shape)

    def decide(self, index, value):
        self.taken.append(bool(value))
        return value

    def result(self, slot):
        return slot.array()

    def launch(self, name, inputs, outputs):
        """A launch of all functions of a kernel, which is given what is `...`."""
        kernel = self.kernels[name]
        more = [self.core.allocate(size) for size in kernel["temporaries"]]
        scratch = self.core.allocate(16)
        calls = [self.function(function) for function in kernel["functions"]]

        def run(*given):
            left = iter(given)
            slots = [next(left) if slot is ... else slot for slot in inputs]
            known = [slot.buffer for slot in (*slots, *outputs)] + more
            for config, loaded, parameters in calls:
                used = [known[i] for i in parameters]
                used += [scratch] * (loaded.num_arguments - len(used))
                launch(self.core.stream, config, loaded, *used)

        return run

    def function(self, function):
        """How it is launched, itself, and which arguments it takes."""
        code = ObjectCode.from_ptx(function["ptx"].encode())
        config = LaunchConfig(
            grid=function["blocks"],
            block=32 * function["warps"],
            shmem_size=function["shared"],
        )
        return config, code.get_kernel(function["entry"]), function["parameters"]

    def run(self, x):
        """The result for an array, and the path."""
        [(_, dtype, shape)] = self.inputs
        self.taken.clear()
        result = self.forward(Slot(self.core, dtype, shape, self.core.upload(x)))
        return [result.tolist(), list(self.taken)]


def lent(core, net, x):
    """The result of our runtime for a tensor of `cuda-core`, and the path."""
    given = StridedMemoryView.from_buffer(core.upload(x), x.shape, dtype=x.dtype)
    result = net(given)
    found = StridedMemoryView.from_dlpack(result, stream_ptr=int(core.stream.handle))
    assert found.is_device_accessible
    assert (found.shape, found.dtype) == (result.shape, np.dtype(result.dtype))
    taken = Buffer.from_handle(found.ptr, 4 * found.size, owner=result)
    array = core.download(taken, found.dtype, found.shape)
    return [array.tolist(), [decision.taken for decision in net.path]]


def main(folder, path, inputs):
    """Print what each gives."""
    library = Path(folder) / "libcuda.so.1"
    ours.LIBRARY = str(library)
    gpu = CoreDriver(library, 1 << 20)
    gpu.capability = (10, 0)
    core, net = Core(), dycl.load(path)
    services = Services(core, path)
    found = []
    for x in np.load(inputs):
        before = len(gpu.launches)
        theirs = services.run(x)
        names = gpu.launches[before:]
        found.append({"theirs": theirs, "lent": lent(core, net, x), "names": names})
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    status = 1
    try:
        main(*sys.argv[1:])
        status = 0
    except BaseException:
        traceback.print_exc()
    os._exit(status)  # What is left would give memory back to a driver that is gone.
