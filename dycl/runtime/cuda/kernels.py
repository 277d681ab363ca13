"""Kernels as PTX: loaded into the driver, and launched."""

from __future__ import annotations

import ctypes
import json
import os
import re
import struct
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from dycl.runtime.cuda.driver import CudaError, Device, device, waits
from dycl.runtime.cuda.memory import DeviceBuffer, Queue
from dycl.runtime.cuda.sizes import OpenSizes, open_sizes
from dycl.runtime.weight_set import WeightSet
from dycl.runtime.zipping import zip_equal

if TYPE_CHECKING:
    from dycl.runtime.cuda.tree import Tree

_ALIGNMENT = 256
"""Bytes; what the driver aligns memory to."""
_MOST_GRAPHS = 8
"""Of one launch: a kernel may be given the tensors of either side of a decision."""


@dataclass(frozen=True)
class FunctionCode:
    """One function of a kernel, for one architecture."""

    entry: str
    ptx: str
    warps: int
    shared: int
    """Bytes of shared memory that a block needs."""
    blocks: int
    """0: a call decides."""
    parameters: tuple[int, ...]
    """What it is given: arguments of the kernel, by index, then its temporaries."""

    @cached_property
    def parameter_count(self) -> int:
        """How many parameters the PTX has: behind ours stand scratch pointers."""
        head = re.search(r"\.entry\s+\S+?\s*\((.*?)\)", self.ptx, re.DOTALL)
        return 0 if head is None else head[1].count(".param")


@dataclass(frozen=True)
class KernelCode:
    """One kernel, for one architecture."""

    name: str
    location: str
    """The user's line."""
    floats: tuple[bool, ...]
    """For each argument, inputs first, whether it is a number of f64."""
    temporaries: tuple[int, ...]
    """Bytes of each."""
    functions: tuple[FunctionCode, ...]
    """In the order in which they run."""
    open: OpenSizes | None = None
    """Of sizes that a call decides, by which all but the functions' code goes."""

    @property
    def what(self) -> str:
        """What it is called in messages."""
        return f"kernel @{self.name}" + (f" ({self.location})" if self.location else "")


Codes = Callable[[int], Sequence[KernelCode]]
"""All kernels of a network, for an architecture of `ARCHITECTURES`."""
SWITCH: Final = "DYCL_CUDA_GRAPH"
"""In the environment: "0" runs networks by the host."""
HOST_MODULE: Final = "dycl_host"
"""The module of a printed host, as `CompiledNet` calls it."""
ARCHITECTURES: Final = (80, 90)
"""Compute capabilities that there is PTX for; that of 9.0 runs on 9.0 alone."""


def as_json(codes: Mapping[int, Sequence[KernelCode]]) -> bytes:
    """The kernels by architecture, as a member of an artifact."""
    entries = {str(a): [asdict(code) for code in some] for a, some in codes.items()}
    return (json.dumps(entries, separators=(",", ":"), sort_keys=True) + "\n").encode()


def from_json(data: bytes) -> Codes:
    """The kernels of an artifact."""
    entries: dict[str, list[dict[str, Any]]] = json.loads(data)
    return lambda architecture: [_kernel(one) for one in entries[str(architecture)]]


def _kernel(entry: Mapping[str, Any]) -> KernelCode:
    functions = [
        FunctionCode(
            *(one["entry"], one["ptx"], one["warps"], one["shared"], one["blocks"]),
            tuple(one["parameters"]),
        )
        for one in entry["functions"]
    ]
    return KernelCode(
        entry["name"],
        entry["location"],
        tuple(entry["floats"]),
        tuple(entry["temporaries"]),
        tuple(functions),
        open_sizes(entry.get("open")),
    )


class NoGraph(CudaError):
    """A network has to be one CUDA graph, and is none on this device."""

    code = "DY507"

    def __init__(self, why: str):
        super().__init__(
            f"the network is no CUDA graph here, as `whole_graph=True` asks: {why}"
        )


class CudaKernels:
    """The kernels of one network on one device, which its threads share."""

    lends: Final = True
    """Whether the network takes tensors that are on the device."""

    def __init__(
        self,
        codes: Codes,
        trees: Callable[[], Sequence[Tree]] | None = None,
        whole_graph: bool = False,
    ):
        """Nothing is loaded before the first kernel is asked for.

        `trees`: what gives graphs of the network, of all of it or of segments;
        `whole_graph`: whether it is refused where it is not one graph.
        """
        self._codes = codes
        self._make_trees = trees
        self.is_whole_only = whole_graph
        self._functions: dict[str, int] = {}
        self._lock = threading.Lock()
        self._loaded: dict[str, CudaKernel] = {}
        self._weights: weakref.WeakKeyDictionary[WeightSet, dict[str, DeviceBuffer]]
        self._weights = weakref.WeakKeyDictionary()

    def make_services(self, weights: Any, load: Any, preparations: Any) -> Any:
        """What a printed host is given; see `CudaServices`.

        The network is one graph, or its segments are, if they, the device and its
        driver can do that, and nobody wants to see the host at work, as a profile does.
        CudaError (DY507): it is no graph, and has to be one.
        """
        from dycl.runtime.cuda.graph_services import GraphServices
        from dycl.runtime.cuda.services import CudaServices
        from dycl.runtime.cuda.variants import NoVariant

        is_seen = load.__module__ != HOST_MODULE or waits()
        if is_seen or os.environ.get(SWITCH) == "0":
            return CudaServices(self, weights, load, preparations)
        segments = {t.segment: t for t in self.trees if t.segment is not None}
        for tree in self.trees:
            if tree.segment is None:
                try:
                    return GraphServices(self, tree, weights, load, preparations)
                except NoVariant as error:
                    self.is_no_graph(tree.name, error)
        return CudaServices(self, weights, load, preparations, segments)

    @cached_property
    def trees(self) -> Sequence[Tree]:
        """The graphs of the network; none: all of it has to be run by the host."""
        from dycl.runtime.cuda.tree import can_decide

        if self._make_trees is None:
            return ()
        if not can_decide(self.device):
            if self.is_whole_only:
                raise NoGraph(f"{self.device.name} or its driver has no such nodes")
            return ()
        return self._make_trees()

    def is_no_graph(self, name: str, error: ValueError) -> None:
        """Say that a part of the network is run by the host after all.

        CudaError (DY507): all of it has to be one graph.
        """
        if self.is_whole_only:
            raise NoGraph(error.args[0]) from error
        warnings.warn(
            f"{name} is no CUDA graph, and is run by the host: {error.args[0]}; "
            "`whole_graph=True` makes this an error (DY507)",
            RuntimeWarning,
            stacklevel=2,
        )

    def function(self, ptx: str, entry: str, shared: int) -> int:
        """A function of its own, loaded once. CudaError: it cannot be."""
        with self._lock:
            if ptx not in self._functions:
                self._functions[ptx] = self.device.load(ptx, entry, shared)
            return self._functions[ptx]

    @cached_property
    def device(self) -> Device:
        """The GPU. CudaError: there is none, or it is too old."""
        return device()

    @cached_property
    def _by_name(self) -> dict[str, KernelCode]:
        newest = ARCHITECTURES[-1]
        architecture = newest if self.device.capability == newest else ARCHITECTURES[0]
        return {code.name: code for code in self._codes(architecture)}

    def __getitem__(self, name: str) -> CudaKernel:
        """A kernel, loaded. KeyError: there is none; CudaError: it cannot be."""
        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = CudaKernel(self.device, self._by_name[name])
            return self._loaded[name]

    def weight(
        self, weights: WeightSet, path: str, upload: Callable[[], DeviceBuffer]
    ) -> DeviceBuffer:
        """A weight on the device, copied there for the first thread that asks."""
        with self._lock:
            known = self._weights.setdefault(weights, {})
            if path not in known:
                known[path] = upload()
            return known[path]


class CudaKernel:
    """One kernel, loaded."""

    def __init__(self, device: Device, code: KernelCode):
        """CudaError: the driver does not take its PTX."""
        self.device, self.code = device, code
        self.words = len(code.floats)
        self.handles = [device.load(f.ptx, f.entry, f.shared) for f in code.functions]
        self.starts, self.workspace = starts_of(code.temporaries)
        """Where the temporaries are in the memory that a launch needs; its bytes."""


def starts_of(temporaries: Sequence[int]) -> tuple[list[int], int]:
    """Where temporaries of so many bytes begin, and the bytes of all."""
    starts, size = list[int](), 0
    for count in temporaries:
        starts.append(size)
        size += -(-count // _ALIGNMENT) * _ALIGNMENT
    return starts, size


class QueuedKernels:
    """The kernels in one stream, as `make_launch` takes them."""

    def __init__(self, kernels: CudaKernels, queue: Queue):
        self._kernels, self._queue = kernels, queue

    def __getitem__(self, name: str) -> QueuedKernel:
        """A kernel. As `CudaKernels`."""
        return QueuedKernel(self._kernels[name], self._queue)


class QueuedKernel:
    """A kernel in a stream."""

    memory: Final = "cuda"
    """Where its arguments are."""

    def __init__(self, kernel: CudaKernel, queue: Queue):
        self.kernel, self._queue = kernel, queue
        self.workspace = kernel.workspace
        """Bytes of memory that it takes as its last argument; 0: none."""

    def bind(self, *arguments: float) -> BoundKernel:
        """Lay out the arguments; all but the workspace may be stored anew."""
        return BoundKernel(self.kernel, self._queue, arguments)


class BoundKernel:
    """The arguments of a kernel in 8-byte slots, and its launches.

    A kernel of several functions that is given the same arguments again is captured as
    a graph, which the driver launches at once: on an H100 a function costs 5 us of the
    processor, one in a graph 0.9 us of the GPU.
    """

    def __init__(self, kernel: CudaKernel, queue: Queue, arguments: Sequence[float]):
        self._kernel, self._queue = kernel, queue
        code = kernel.code
        last = kernel.words + len(kernel.starts)  # always 0: no scratch memory
        self._slots = (ctypes.c_int64 * (last + 1))()
        for index, value in enumerate(arguments[: kernel.words]):
            self.store(index, value)
        for index, start in enumerate(kernel.starts, kernel.words):
            self._slots[index] = int(arguments[kernel.words]) + start
        first = ctypes.addressof(self._slots)
        self._calls: list[tuple[Any, ...]] = []
        for handle, function in zip_equal(kernel.handles, code.functions):
            count = function.parameter_count
            used = [*function.parameters, *[last] * count][:count]
            pointers = (ctypes.c_void_p * count)(*(first + 8 * i for i in used))
            self._calls.append(
                (
                    *(handle, function.blocks, 1, 1, 32 * function.warps, 1, 1),
                    *(function.shared, queue.stream, pointers, None),
                )
            )
        self._what = code.what
        self._waits = waits()
        self._graphs: dict[bytes, int | None] = {}
        """By the arguments; None: they were given once."""
        self._can_be_graph = len(self._calls) > 1 and not self._waits

    def store(self, index: int, value: float) -> None:
        """Set an argument: an address, or a number."""
        if self._kernel.code.floats[index]:
            (value,) = struct.unpack("q", struct.pack("d", value))
        self._slots[index] = int(value)

    def __call__(self) -> None:
        """Queue the kernel with the arguments last stored. CudaError."""
        self._queue.launched.append(self._what)
        if self._can_be_graph and (graph := self._graph()):
            device = self._kernel.device
            device.check(device.launch_graph(graph, self._queue.stream), self._what)
            return
        self.queue_each()
        if self._waits:
            try:
                self._kernel.device.synchronize(self._queue.stream)
            except RuntimeError as error:
                raise type(error)(f"{self._what}: {error.args[0]}") from error

    def queue_each(self) -> None:
        """Queue each function on its own, as in a capture. CudaError."""
        device = self._kernel.device
        for call in self._calls:
            status = device.launch(*call)
            if status:
                device.check(status, self._what)

    def _graph(self) -> int | None:
        """The graph for these arguments, if they are given again."""
        key = bytes(self._slots)
        graph = self._graphs.get(key)
        if graph is None and len(self._graphs) <= _MOST_GRAPHS:
            if key in self._graphs:
                device = self._kernel.device
                graph = device.capture(self._queue.stream, self.queue_each)
                weakref.finalize(self, device.destroy_graph, graph)
            self._graphs[key] = graph
        return graph
