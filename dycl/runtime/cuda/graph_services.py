"""What runs a network that is one graph: arguments in, one launch, results out.

A run whose record says that it stopped is done again by the printed host, which raises,
prints or computes what the device could not. Nothing is lost by that: a graph has no
effects, and its arguments are still there.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dycl.runtime.buffers import Array, Buffer
from dycl.runtime.cuda.driver import CudaError
from dycl.runtime.cuda.kernels import SWITCH, CudaKernels
from dycl.runtime.cuda.memory import Allocation, DeviceBuffer
from dycl.runtime.cuda.record import (
    COUNT,
    ENTRIES,
    EXIT,
    MOST_AT_ONCE,
    MOST_DECISIONS,
    STOPPED,
    decisions,
)
from dycl.runtime.cuda.services import CudaServices
from dycl.runtime.cuda.tree import Builder, Tree
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.host_services import HostServices
from dycl.runtime.kernels import Argument
from dycl.runtime.preparation import Preparations
from dycl.runtime.weight_set import WeightSet

_ALIGNMENT = 256
_LARGEST_AT_ONCE = 1 << 16
"""Bytes of a result that is copied with the record, whichever return ends the run."""


class GraphServices(CudaServices):
    """The graph of a network for one thread, and the host for runs that stop."""

    def __init__(
        self,
        kernels: CudaKernels,
        tree: Tree,
        weights: WeightSet,
        load: Callable[[HostServices], Callable[..., Any]],
        preparations: Preparations,
    ):
        """As `CudaServices`; the host is loaded when a run needs it."""
        self._host_load = load
        self._has_host = False
        self._entries: Array | None = None
        super().__init__(kernels, weights, _not_yet, preparations)
        self._tree = tree
        self._makers = eval(tree.text, {})
        returned = {place for place, _ in tree.returned}
        self._inside: dict[int, int] = {}
        """By number of memory, where it is in what is copied after a run."""
        size = 0
        for place, one in enumerate(tree.memory):
            if place in returned and one["kind"] == "buffer":
                count = _bytes(one)
                if count <= _LARGEST_AT_ONCE:
                    self._inside[place] = size
                    size += -(-count // _ALIGNMENT) * _ALIGNMENT
        self._record = size
        most = MOST_DECISIONS if tree.decisions is None else tree.decisions
        self._region = self._zeros("uint8", (size + ENTRIES + 4 * most,))
        at_once = min(most, MOST_AT_ONCE)
        self._copy = np.empty(size + ENTRIES + 4 * at_once, np.uint8)
        self._words = self._copy[size : size + ENTRIES].view(np.int64)
        self._first = self._copy[size + ENTRIES :].view(np.uint32)
        self._buffers: list[DeviceBuffer] = []
        for place, one in enumerate(tree.memory):
            self._buffers.append(self._made(place, one))
        self._graph = self._build(kernels, tree)

    def _build(self, kernels: CudaKernels, tree: Tree) -> int:
        builder = Builder(
            kernels,
            tree,
            [buffer.address for buffer in self._buffers],
            [buffer.nbytes for buffer in self._buffers],
            self._region.address + self._record,
            lambda size: self._workspace(size).address,
        )
        try:
            graph = builder.build()
        except CudaError as error:
            raise CudaError(
                f"building the graph of the network: {error.args[0]}; with "
                f"{SWITCH}=0 the host runs it"
            ) from error
        weakref.finalize(self, self.device.destroy_graph, graph)
        self._what = f"the graph of the network, of {builder.nodes} nodes"
        return graph

    def _made(self, place: int, one: dict[str, Any]) -> DeviceBuffer:
        dtype, shape, kind = one["dtype"], tuple(one["shape"]), one["kind"]
        made: Any
        if place in self._inside:
            part = Part(self._region, self._inside[place])
            made = DeviceBuffer(self._queue, numpy_dtype(dtype), shape, part)
        elif kind == "weight":
            made = self.param(one["path"], dtype, shape)
        elif kind == "constant":
            made = self.packed(dtype, shape, one["data"])
        elif kind == "view":
            made = self._buffers[one["of"]].view(shape)
        elif kind == "zeros":
            made = self._zeros(dtype, shape)
        else:
            made = self.buffer(dtype, shape)
        return made

    def _zeros(self, dtype: str, shape: tuple[int, ...]) -> DeviceBuffer:
        result = DeviceBuffer(self._queue, numpy_dtype(dtype), shape)
        result.put(np.zeros(shape, result.dtype))
        return result

    # ---- a run

    # A list is made of what a run has noted when somebody asks for it.
    @property
    def taken(self) -> list[tuple[int, bool]]:
        """The decisions of the last run."""
        if self._entries is not None:
            self._taken, self._entries = decisions(self._entries), None
        return self._taken

    @taken.setter
    def taken(  # pyright: ignore[reportIncompatibleVariableOverride]
        self, taken: list[tuple[int, bool]]
    ) -> None:
        self._taken, self._entries = taken, None

    def start(self) -> None:
        """Forget the path of the last call."""
        self._entries = None
        super().start()

    def _run(self, *arguments: Argument) -> Any:
        for buffer, value in zip(self._buffers, arguments):
            given = value.array if isinstance(value, Buffer) else value
            buffer.put(np.asarray(given, buffer.dtype))
        self._queue.launched.append(self._what)
        stream = self._queue.stream
        try:
            status = self.device.launch_graph(self._graph, stream)
            self.device.check(status, self._what)
            self._queue.download(self._copy, self._region.address)
        except RuntimeError as error:
            self._name_kernels(error)
            raise
        stopped, count, number = self._words.tolist()
        if stopped:
            return self._by_host(*arguments)
        self._entries = self._all(count).copy()
        return self._makers[number](self, self._value)

    def _all(self, count: int) -> Array:
        """The words of the decisions."""
        if count <= len(self._first):
            return self._first[:count]
        entries = np.empty(count, np.uint32)
        address = self._region.address + self._record + ENTRIES
        self._queue.download(entries, address)
        return entries

    def _value(self, number: int) -> Any:
        """A copy of what is returned."""
        place, is_number = self._tree.returned[number]
        buffer = self._buffers[place]
        if place in self._inside:
            start = self._inside[place]
            data = self._copy[start : start + buffer.nbytes]
            array = data.view(buffer.dtype).reshape(buffer.shape).copy()
        else:
            array = buffer.array
        return array.item() if is_number else array

    def _by_host(self, *arguments: Argument) -> Any:
        """The whole run once more, with a launch for each kernel."""
        if not self._has_host:
            self._forward = self._host_load(self)
            self._has_host = True
        return super()._run(*arguments)


class Part(Allocation):
    """A part of other memory, which it keeps."""

    def __init__(self, of: DeviceBuffer, start: int):
        """From byte `start` on."""
        self._of = of
        self.address = of.address + start


def _bytes(memory: dict[str, Any]) -> int:
    return math.prod(memory["shape"]) * numpy_dtype(memory["dtype"]).itemsize


def _not_yet(services: HostServices) -> Callable[..., Any]:
    """The host before a run has needed it."""

    def forward(*arguments: Sequence[Any]) -> Any:
        raise AssertionError("the host is not loaded")

    return forward


assert (STOPPED, COUNT, EXIT) == (0, 8, 16), "the words of a record are in this order"
