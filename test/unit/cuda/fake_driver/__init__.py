"""A driver without a GPU: device memory is the PTX machine's, which runs the kernels.

It is strict: it wants a context, live memory, copies inside of one allocation, streams
and functions that it has made, and PTX that is no newer than itself. It runs what is
queued at once.
"""

import ctypes
import itertools
import re
import subprocess
import threading
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_size_t, c_uint, c_uint64
from ctypes import c_void_p as pointer
from pathlib import Path
from typing import ClassVar

import numpy as np
from ptx_machine import Memory, PtxError, launch, parse

from dycl.runtime.cuda.driver import STICKY
from fake_driver import graphs
from fake_driver.graphs import Graph, Handle, Layout

INVALID_VALUE, OUT_OF_MEMORY, NOT_INITIALIZED = 1, 2, 3
INVALID_DEVICE, INVALID_CONTEXT, INVALID_PTX, INVALID_HANDLE = 101, 201, 218, 400
NO_BINARY_FOR_GPU, UNSUPPORTED_PTX_VERSION = 209, 222
ILLEGAL_ADDRESS, NOT_SUPPORTED, CAPTURE_INVALIDATED = 700, 801, 901
_NAMES = {
    1: b"CUDA_ERROR_INVALID_VALUE",
    2: b"CUDA_ERROR_OUT_OF_MEMORY",
    100: b"CUDA_ERROR_NO_DEVICE",
    101: b"CUDA_ERROR_INVALID_DEVICE",
    201: b"CUDA_ERROR_INVALID_CONTEXT",
    209: b"CUDA_ERROR_NO_BINARY_FOR_GPU",
    218: b"CUDA_ERROR_INVALID_PTX",
    222: b"CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    400: b"CUDA_ERROR_INVALID_HANDLE",
    700: b"CUDA_ERROR_ILLEGAL_ADDRESS",
    719: b"CUDA_ERROR_LAUNCH_FAILED",
    801: b"CUDA_ERROR_NOT_SUPPORTED",
}
_ISAS = {0: (8, 0), 1: (8, 1), 2: (8, 2), 3: (8, 3), 4: (8, 4), 5: (8, 5), 8: (8, 7)}
"""What PTX drivers of CUDA 12 take, by their minor version."""
_WITH_CONTEXT = ("cuMem", "cuStream", "cuEvent", "cuModule", "cuLaunch", "cuGraphL")
_TYPES = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuGetErrorName": (c_int, POINTER(c_char_p)),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (POINTER(ctypes.c_char), c_int, c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(pointer), c_int),
    "cuCtxSetCurrent": (pointer,),
    "cuMemAlloc_v2": (POINTER(c_uint64), c_size_t),
    "cuMemFree_v2": (c_uint64,),
    "cuMemcpyHtoDAsync_v2": (c_uint64, pointer, c_size_t, pointer),
    "cuMemcpyDtoHAsync_v2": (pointer, c_uint64, c_size_t, pointer),
    "cuMemcpyDtoDAsync_v2": (c_uint64, c_uint64, c_size_t, pointer),
    "cuStreamCreate": (POINTER(pointer), c_uint),
    "cuStreamDestroy_v2": (pointer,),
    "cuStreamSynchronize": (pointer,),
    "cuEventCreate": (POINTER(pointer), c_uint),
    "cuEventRecord": (pointer, pointer),
    "cuEventElapsedTime": (POINTER(ctypes.c_float), pointer, pointer),
    "cuEventDestroy_v2": (pointer,),
    "cuModuleLoadDataEx": (
        *(POINTER(pointer), c_char_p, c_uint, POINTER(c_int), POINTER(pointer)),
    ),
    "cuModuleGetFunction": (POINTER(pointer), pointer, c_char_p),
    "cuFuncSetAttribute": (pointer, c_int, c_int),
    "cuStreamBeginCapture_v2": (pointer, c_int),
    "cuStreamEndCapture": (pointer, POINTER(pointer)),
    "cuGraphCreate": (POINTER(pointer), c_uint),
    "cuGraphConditionalHandleCreate": (
        *(POINTER(c_uint64), pointer, pointer, c_uint, c_uint),
    ),
    "cuGraphAddNode_v2": (
        *(POINTER(pointer), pointer, POINTER(pointer), pointer, c_size_t, pointer),
    ),
    "cuGraphInstantiateWithFlags": (POINTER(pointer), pointer, c_uint64),
    "cuGraphDestroy": (pointer,),
    "cuGraphExecDestroy": (pointer,),
    "cuGraphLaunch": (pointer, pointer),
    "cuLaunchKernel": (
        *(pointer, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, pointer),
        *(POINTER(pointer), POINTER(pointer)),
    ),
}


def build(folder):
    """Compile the library, and beside it what reads the driver's structs; its path."""
    source = Path(__file__).parent / "libcuda.c"
    library = folder / "libcuda.so.1"
    command = ["cc", "-O1", "-shared", "-fPIC", "-Wall", "-Werror"]
    subprocess.run([*command, str(source), "-o", str(library)], check=True, timeout=60)
    graphs.build(folder)
    return library


class FakeDriver:
    """One GPU of a test; `fails` says what a function answers from now on."""

    types = _TYPES
    """What each function takes."""
    handle = 7
    """Of the only device; its number is 0."""
    attributes: ClassVar = {}
    """What it tells of itself beside its compute capability, by number."""

    def __init__(self, library, size=1 << 19):
        self.memory = Memory(size)
        self.live = {}
        self.freed = 0
        self.streams, self.modules, self.functions = set(), {}, {}
        self.context = None
        self.clock, self.events = 0.0, {}
        self.takes = lambda name, size: 1.0
        # Microseconds of a function by its name, or of a copy ("") of so many bytes.
        self.version, self.capability, self.fails = 12080, (8, 0), {}
        self.broken = 0  # What all calls give after an error of a kernel.
        self.launches = []
        self.targets = set()
        # Of all PTX that was loaded.
        self.nodes = self.graph_launches = self.direct_launches = 0
        self.captured, self.graphs, self.executables = {}, {}, {}
        self.handles, self.layout = {}, Layout(Path(library).parent)
        self.running = self.executed = None
        self.memory.functions["cudaGraphSetConditional"] = self._set_conditional
        self.while_capturing = lambda: None
        self._loaded = ctypes.CDLL(str(library))
        self._kept = []
        self._lock, self._numbers = threading.RLock(), itertools.count()
        # A driver answers several threads at once; this one in turns.
        for name, types in self.types.items():
            kind = CFUNCTYPE(c_int, *types)
            callback = kind(self._answers(name))
            self._kept.append(callback)
            slot = pointer.in_dll(self._loaded, f"on_{name}")
            slot.value = ctypes.cast(callback, pointer).value

    def _answers(self, name):
        method = getattr(self, name)

        def answer(*arguments):
            with self._lock:
                return answer_alone(*arguments)

        def answer_alone(*arguments):
            needs_context = name.startswith(_WITH_CONTEXT)
            if self.broken and needs_context:
                return self.broken
            if name in self.fails:
                status = self.fails[name]
            elif needs_context and self.context is None:
                status = INVALID_CONTEXT
            else:
                status = method(*arguments) or 0
            if status in STICKY:
                self.broken = status
            return status

        return answer

    def cuInit(self, flags):
        return INVALID_VALUE if flags else 0

    def cuDriverGetVersion(self, version):
        version[0] = self.version

    def cuGetErrorName(self, status, name):
        name[0] = _NAMES.get(status, b"CUDA_ERROR_UNKNOWN")

    def cuDeviceGet(self, device, number):
        device[0] = self.handle
        return INVALID_DEVICE if number else 0

    def cuDeviceGetName(self, name, size, device):
        for i, byte in enumerate(b"a GPU of paper\0"[:size]):
            name[i] = byte

    def cuDeviceGetAttribute(self, value, which, device):
        known = {75: self.capability[0], 76: self.capability[1]} | self.attributes
        if which not in known:
            return INVALID_VALUE
        value[0] = known[which]
        return 0

    def cuDevicePrimaryCtxRetain(self, context, device):
        context[0] = 0xC0
        return 0 if device == self.handle else INVALID_DEVICE

    def cuCtxSetCurrent(self, context):
        self.context = context

    def cuMemAlloc_v2(self, address, size):
        try:
            address[0] = self.memory.allocate(size)
        except AssertionError:
            return OUT_OF_MEMORY
        self.live[address[0]] = size
        return None

    def cuMemFree_v2(self, address):
        self.is_disturbed = bool(self.captured) and not self.is_relaxed
        if self.live.pop(address, None) is None:
            return INVALID_VALUE
        self.freed += 1
        return None

    def _start(self, address, size):
        """Where so many bytes of one live allocation are; None: they are not."""
        for first, length in self.live.items():
            if first <= address and address + size <= first + length:
                return address - 0x7000_0000_0000
        return None

    def cuEventCreate(self, event, flags):
        event[0] = 0x6000 + next(self._numbers)
        self.events[event[0]] = None

    def cuEventDestroy_v2(self, event):
        self.events[event] = None

    def cuEventRecord(self, event, stream):
        if event not in self.events or stream not in self.streams:
            return INVALID_HANDLE
        self.events[event] = self.clock
        return 0

    def cuEventElapsedTime(self, milliseconds, start, end):
        begun, ended = self.events.get(start), self.events.get(end)
        if None in (begun, ended):
            return INVALID_HANDLE
        milliseconds[0] = (ended - begun) / 1e3
        return 0

    def cuMemcpyHtoDAsync_v2(self, target, source, size, stream):
        self.clock += self.takes("", size)
        start = self._start(target, size)
        if start is None or stream not in self.streams:
            return INVALID_VALUE
        data = np.frombuffer(ctypes.string_at(source, size), np.uint8)
        self.memory.bytes[start : start + size] = data
        self.memory.is_written[start : start + size] = True
        return None

    def cuMemcpyDtoHAsync_v2(self, target, source, size, stream):
        self.clock += self.takes("", size)
        start = self._start(source, size)
        if start is None or stream not in self.streams:
            return INVALID_VALUE
        if not self.memory.is_written[start : start + size].all():
            return INVALID_VALUE
        ctypes.memmove(target, self.memory.bytes[start:].ctypes.data, size)
        return None

    def cuMemcpyDtoDAsync_v2(self, target, source, size, stream):
        to, start = self._start(target, size), self._start(source, size)
        if None in (to, start) or stream not in self.streams:
            return INVALID_VALUE
        for what in (self.memory.bytes, self.memory.is_written):
            what[to : to + size] = what[start : start + size].copy()
        return None

    def cuStreamCreate(self, stream, flags):
        stream[0] = 0x5000 + next(self._numbers)
        self.streams.add(stream[0])

    def cuStreamDestroy_v2(self, stream):
        return 0 if stream in self.streams else INVALID_HANDLE

    def cuStreamSynchronize(self, stream):
        return 0 if stream in self.streams else INVALID_HANDLE

    def cuModuleLoadDataEx(self, module, image, count, options, values):
        text = image.decode()
        target = re.search(r"\.target (sm_(\d+)(a?))", text)
        if ".entry" not in text or target is None:
            return INVALID_PTX
        if status := self._why_not(text):
            return status
        self.targets.add(target[1])
        module[0] = 0x10_0000 + next(self._numbers)
        self.modules[module[0]] = parse(text), text
        return None

    def _why_not(self, text):
        """What the driver says of PTX that is newer than itself, or of another GPU."""
        head = re.search(r"\.version (\d+)\.(\d+)\s+\.target sm_(\d+)(a?)", text)
        if head is None:
            return INVALID_PTX
        isa, of_cuda = (int(head[1]), int(head[2])), self.version % 1000 // 10
        if isa > max(known for cuda, known in _ISAS.items() if cuda <= of_cuda):
            return UNSUPPORTED_PTX_VERSION
        here, wanted = 10 * self.capability[0] + self.capability[1], int(head[3])
        fits = here == wanted if head[4] else here >= wanted
        return 0 if fits else NO_BINARY_FOR_GPU

    def cuModuleGetFunction(self, function, module, name):
        kernel, text = self.modules[module]
        if f".entry {name.decode()}" not in text.replace("  ", " "):
            return INVALID_HANDLE
        function[0] = 0x20_0000 + next(self._numbers)
        self.functions[function[0]] = kernel, name.decode()
        return None

    def cuFuncSetAttribute(self, function, which, value):
        return 0 if function in self.functions and which == 8 else INVALID_HANDLE

    def cuLaunchKernel(
        self, function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra
    ):
        if (gy, gz, by, bz) != (1, 1, 1, 1) or stream not in self.streams:
            return INVALID_VALUE
        call = self._call(function, gx, bx, shared, parameters)
        if stream in self.captured:
            self.captured[stream].append(call)
            return 0
        self.direct_launches += 1
        return self._run(*call)

    def _call(self, function, blocks, threads, shared, parameters):
        kernel, name = self.functions[function]
        given = [
            np.frombuffer(ctypes.string_at(parameters[i], size), np.uint8)
            for i, (_, size) in enumerate(kernel.parameters.values())
        ]
        return kernel, name, blocks, threads, given, shared

    def _run(self, kernel, name, gx, bx, given, shared):
        self.launches.append(name)
        self.clock += self.takes(name, 0)
        try:
            launch(kernel, gx, bx, given, self.memory, shared)
        except PtxError as error:
            self.launches.append(str(error))
            return ILLEGAL_ADDRESS

    def cuStreamBeginCapture_v2(self, stream, mode):
        if stream in self.captured or stream not in self.streams:
            return INVALID_VALUE
        self.captured[stream] = []
        self.is_relaxed, self.is_disturbed = mode == 2, False
        self.while_capturing()
        return 0

    def cuStreamEndCapture(self, stream, graph):
        captured = self.captured.pop(stream)
        if self.is_disturbed:
            return CAPTURE_INVALIDATED
        graph[0] = self._new_graph()
        self.graphs[graph[0]].nodes += [("kernel", call) for call in captured]
        return 0

    # ---- graphs

    def _new_graph(self, root=None):
        number = 0x30_0000 + next(self._numbers)
        self.graphs[number] = Graph(root)
        return number

    def cuGraphCreate(self, graph, flags):
        graph[0] = self._new_graph()
        return INVALID_VALUE if flags else 0

    def cuGraphConditionalHandleCreate(self, handle, graph, context, value, flags):
        if self.version < 12040 or self.capability < (9, 0):
            return NOT_SUPPORTED
        if context not in (None, self.context) or flags not in (0, 1):
            return INVALID_VALUE
        if self.graphs.get(graph) is None:
            return INVALID_VALUE
        handle[0] = 0x7_0000_0000 + next(self._numbers)
        default = value if flags else None
        self.handles[handle[0]] = Handle(self.graphs[graph], default)
        return 0

    def cuGraphAddNode_v2(self, node, graph, before, edges, count, params):
        known = self.graphs.get(graph)
        if known is None or edges:
            return INVALID_VALUE
        # It runs nodes in order, so each has to depend on the one before.
        if [before[i] for i in range(count)] != [known.last] * (known.last is not None):
            return NOT_SUPPORTED
        kind = self.layout.kind(params)
        if kind == graphs.KERNEL:
            added = self._kernel_node(params)
        elif kind == graphs.CONDITIONAL:
            added = self._conditional_node(known, params)
        else:
            added = None
        if added is None:
            return INVALID_VALUE
        known.nodes.append(added)
        self.nodes += 1
        node[0] = known.last = 0x50_0000 + self.nodes
        return 0

    def _kernel_node(self, params):
        function, *sizes, parameters, extra, kern, context = self.layout.kernel(params)
        gx, gy, gz, bx, by, bz, shared = sizes
        if (gy, gz, by, bz) != (1, 1, 1, 1) or extra or kern:
            return None
        if function not in self.functions or context not in (0, self.context):
            return None
        given = ctypes.cast(parameters, POINTER(pointer))
        return "kernel", self._call(function, gx, bx, shared, given)

    def _conditional_node(self, graph, params):
        number, kind, size, context = self.layout.conditional(params)
        handle = self.handles.get(number)
        sizes = {graphs.IF: (1, 2), graphs.WHILE: (1,)}.get(kind, range(1, 65))
        if size not in sizes or context != self.context or handle is None:
            return None
        if handle.graph is not graph or handle.node is not None:
            return None
        if self.version < 12080 and (kind == graphs.SWITCH or size > 1):
            return None
        bodies = [self._new_graph(graph) for _ in range(size)]
        self.layout.set_bodies(params, bodies)
        handle.node = True
        return "decision", number, kind, [self.graphs[body] for body in bodies]

    def _set_conditional(self, handle, value):
        known = self.handles.get(handle)
        if known is None or known.graph.top is not self.running:
            raise PtxError("a condition is set that is none of the running graph")
        known.value = value

    def cuGraphInstantiateWithFlags(self, executable, graph, flags):
        known = self.graphs.get(graph)
        if known is None or known.root is not None:
            return INVALID_VALUE
        own = [h for h in self.handles.values() if h.graph.top is known]
        if any(handle.node is None for handle in own):
            return INVALID_VALUE
        executable[0] = 0x40_0000 + next(self._numbers)
        self.executables[executable[0]] = known
        return 0

    def cuGraphDestroy(self, graph):
        known = self.graphs.get(graph)
        if known is None or known.root is not None:
            return INVALID_VALUE
        self.graphs[graph] = None
        return 0

    def cuGraphExecDestroy(self, executable):
        return 0 if self.executables.pop(executable, None) else INVALID_HANDLE

    def cuGraphLaunch(self, executable, stream):
        if stream in self.captured or stream not in self.streams:
            return INVALID_VALUE
        self.running = self.executed = self.executables[executable]
        self.graph_launches += 1
        try:
            graphs.run(self.running, self.handles, lambda call: self._run(*call))
        except graphs.Fault as fault:
            self.launches.append(str(fault))
            return ILLEGAL_ADDRESS
        finally:
            self.running = None
        return 0
