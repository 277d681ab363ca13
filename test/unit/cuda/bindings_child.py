"""One program for the driver without a GPU, by our ctypes and by NVIDIA's bindings.

    LD_LIBRARY_PATH=FOLDER python test/unit/cuda/bindings_child.py FOLDER

FOLDER has the library. What the driver reads of either is printed as JSON: functions,
launches with their arguments, nodes of a graph, structs byte by byte, and results.
"""

import ctypes
import json
import sys
from ctypes import byref, c_uint64, c_void_p
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from fake_driver import FakeDriver

from dycl.runtime.buffers import address_of
from dycl.runtime.cuda import driver as ours
from dycl.runtime.cuda import node_params
from dycl.runtime.cuda.tree import declare
from dycl.runtime.cuda.variants import COPY, FIXED

CHOOSE = """.version 8.0
.target sm_90
.address_size 64

.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);

.visible .entry choose(
	.param .u64 choose_0, .param .u32 choose_1
)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [choose_0];
	ld.param.u32 %r1, [choose_1];
	{ .param .b64 h; .param .b32 v; st.param.b64 [h], %rd1; st.param.b32 [v], %r1; \
call.uni cudaGraphSetConditional, (h, v); }
	ret;
}
"""
SIZE = 19
"""Bytes that the functions copy: two words and a rest."""
CHOICES = [(node_params.IF, 2, 0), (node_params.SWITCH, 3, 2), (node_params.IF, 1, 1)]
"""Kind, bodies, and the number that the condition is set to."""


class ByCtypes:
    """Our runtime's calls."""

    def __init__(self):
        self.device = ours.Device()
        declare(self.device)
        self.stream = self.device.make_stream()

    def load(self, ptx, name):
        return self.device.load(ptx, name, 0)

    def launch(self, function, blocks, threads, shared, values):
        pointers = _pointers(values)
        status = self.device.launch(
            *(function, blocks, 1, 1, threads, 1, 1, shared, self.stream),
            *(pointers, None),
        )
        self.device.check(status, "a launch")

    def allocate(self, size):
        return self.device.allocate(size)

    def copy_in(self, target, array):
        self.device.upload(target, array, self.stream)

    def copy_out(self, array, source):
        self.device.download(array, source, self.stream)

    def graph(self):
        graph = c_void_p()
        self.device.call("cuGraphCreate", byref(graph), 0)
        return graph

    def handle(self, graph):
        handle = c_uint64()
        self.device.call(
            *("cuGraphConditionalHandleCreate", byref(handle), graph),
            *(self.device.context, 0, 0),
        )
        return handle.value

    def kernel(self, graph, last, function, blocks, threads, shared, values):
        params = node_params.kernel_node(function, blocks, threads, shared)
        params.of.kernel.parameters = _pointers(values)
        return self._add(graph, last, params)

    def choice(self, graph, last, handle, kind, bodies):
        params = node_params.conditional_node(handle, kind, bodies, self.device.context)
        node = self._add(graph, last, params)
        return node, [c_void_p(params.of.conditional.bodies[i]) for i in range(bodies)]

    def _add(self, graph, last, params):
        node = c_void_p()
        before = None if last is None else (c_void_p * 1)(last)
        self.device.call(
            *("cuGraphAddNode_v2", byref(node), graph, before, None),
            *(0 if last is None else 1, byref(params)),
        )
        return node

    def run(self, graph):
        executable = self.device.instantiate(graph)
        self.device.check(self.device.launch_graph(executable, self.stream), "a graph")
        self.device.synchronize(self.stream)
        self.device.destroy_graph(executable)

    def structs(self, function, handle):
        """A kernel and a decision as bytes; the context is the driver's."""
        kernel = node_params.kernel_node(function, 5, 96, 1024)
        context = self.device.context
        choice = node_params.conditional_node(handle, node_params.SWITCH, 3, context)
        return [bytes(kernel).hex(), bytes(choice).hex()]


class ByBindings:
    """`cuda.bindings`, as it is installed."""

    def __init__(self):
        from cuda.bindings import driver

        self.cu = driver
        self._call("cuInit", 0)
        self.context = self._call(
            "cuDevicePrimaryCtxRetain", self._call("cuDeviceGet", 0)
        )
        self._call("cuCtxSetCurrent", self.context)
        self.stream = self._call("cuStreamCreate", 1)

    def _call(self, name, *arguments):
        status, *result = getattr(self.cu, name)(*arguments)
        assert status == self.cu.CUresult.CUDA_SUCCESS, (name, status)
        return result[0] if result else None

    def load(self, ptx, name):
        module = self._call("cuModuleLoadDataEx", ptx.encode() + b"\0", 0, [], [])
        return self._call("cuModuleGetFunction", module, name.encode())

    def launch(self, function, blocks, threads, shared, values):
        pointers = _pointers(values)
        self._call(
            *("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, shared),
            *(self.stream, ctypes.addressof(pointers), 0),
        )

    def allocate(self, size):
        return int(self._call("cuMemAlloc", size))

    def copy_in(self, target, array):
        given = address_of(array)
        self._call("cuMemcpyHtoDAsync", target, given, array.nbytes, self.stream)

    def copy_out(self, array, source):
        into = address_of(array)
        self._call("cuMemcpyDtoHAsync", into, source, array.nbytes, self.stream)
        self._call("cuStreamSynchronize", self.stream)

    def graph(self):
        return self._call("cuGraphCreate", 0)

    def handle(self, graph):
        made = self._call("cuGraphConditionalHandleCreate", graph, self.context, 0, 0)
        return int(made)

    def kernel(self, graph, last, function, blocks, threads, shared, values):
        params = self._kernel(function, blocks, threads, shared)
        pointers = _pointers(values)
        params.kernel.kernelParams = ctypes.addressof(pointers)
        return self._add(graph, last, params)

    def _kernel(self, function, blocks, threads, shared):
        params = self.cu.CUgraphNodeParams()
        params.type = self.cu.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL
        kernel = params.kernel
        kernel.func, kernel.sharedMemBytes = function, shared
        kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ = blocks, 1, 1
        kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ = threads, 1, 1
        return params

    def choice(self, graph, last, handle, kind, bodies):
        params = self._choice(handle, kind, bodies)
        node = self._add(graph, last, params)
        return node, list(params.conditional.phGraph_out)[:bodies]

    def _choice(self, handle, kind, bodies):
        params = self.cu.CUgraphNodeParams()
        params.type = self.cu.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
        choice = params.conditional
        choice.handle, choice.size, choice.ctx = handle, bodies, self.context
        choice.type = self.cu.CUgraphConditionalNodeType(kind)
        return params

    def _add(self, graph, last, params):
        before = None if last is None else [last]
        count = 0 if last is None else 1
        return self._call("cuGraphAddNode", graph, before, None, count, params)

    def run(self, graph):
        executable = self._call("cuGraphInstantiate", graph, 0)
        self._call("cuGraphLaunch", executable, self.stream)
        self._call("cuStreamSynchronize", self.stream)
        self._call("cuGraphExecDestroy", executable)

    def structs(self, function, handle):
        made = (
            self._kernel(function, 5, 96, 1024),
            self._choice(handle, node_params.SWITCH, 3),
        )
        size = ctypes.sizeof(node_params.NodeParams)
        return [ctypes.string_at(one.getPtr(), size).hex() for one in made]


def _pointers(values):
    """The addresses of the words of arguments, which have to outlive the call."""
    kept = (ctypes.c_uint64 * len(values))(*values)
    first = ctypes.addressof(kept)
    pointers = (c_void_p * len(values))(*(first + 8 * i for i in range(len(values))))
    _KEPT.append((kept, pointers))
    return pointers


_KEPT = []


def program(gpu, api):
    """A launch, and a graph with decisions; what the driver has read."""
    before, functions = len(gpu.launches), len(gpu.functions)
    copy, choose = api.load(FIXED[COPY], COPY), api.load(CHOOSE, "choose")
    data = np.arange(1, SIZE + 1, dtype=np.uint8)
    made = [api.allocate(SIZE) for _ in range(5)]
    api.copy_in(made[0], data)
    words = [SIZE // 8, SIZE % 8]
    api.launch(copy, 1, 128, 64, [made[0], made[1], *words])
    graph = api.graph()
    handles = [api.handle(graph) for _ in CHOICES]
    last = api.kernel(graph, None, copy, 1, 128, 0, [made[1], made[2], *words])
    for handle, (kind, bodies, chosen) in zip(handles, CHOICES, strict=True):
        last = api.kernel(graph, last, choose, 1, 1, 0, [handle, chosen])
        last, inside = api.choice(graph, last, handle, kind, bodies)
        for number, body in enumerate(inside):
            source = made[2] + 8 * (number % 2)
            api.kernel(body, None, copy, 1, 32, 0, [source, made[3], 1, 0])
    api.kernel(graph, last, copy, 1, 128, 0, [made[3], made[4], 1, 0])
    api.run(graph)
    result = np.zeros(8, np.uint8)
    api.copy_out(result, made[4])
    return {
        "functions": [name for _, name in gpu.functions.values()][functions:],
        "launches": gpu.launches[before:],
        "nodes": nodes(gpu, gpu.executed, made, handles),
        "structs": [_without(text) for text in api.structs(copy, handles[0])],
        "result": result.tolist(),
    }


def nodes(gpu, graph, memory, handles):
    """What the driver has read of a graph; addresses and handles by their numbers."""
    known = {address: f"memory {i}" for i, address in enumerate(memory)}
    known |= {address + 8: f"memory {i} + 8" for i, address in enumerate(memory)}
    known |= {handle: f"handle {i}" for i, handle in enumerate(handles)}
    found = []
    for kind, *rest in graph.nodes:
        if kind == "kernel":
            [(_, name, blocks, threads, given, shared)] = rest
            values = [int.from_bytes(bytes(one), "little") for one in given]
            values = [known.get(value, value) for value in values]
            found.append([kind, name, blocks, threads, values, shared])
        else:
            handle, which, bodies = rest
            inside = [nodes(gpu, body, memory, handles) for body in bodies]
            found.append([kind, known[handle], which, inside])
    return found


def _without(text):
    """A struct without the function or the handle, the first word of its union."""
    return text[:32] + text[48:]


if __name__ == "__main__":
    library = Path(sys.argv[1]) / "libcuda.so.1"
    ours.LIBRARY = str(library)
    paper = FakeDriver(library, 1 << 20)
    paper.capability = (10, 0)
    print(json.dumps([program(paper, make()) for make in (ByCtypes, ByBindings)]))
