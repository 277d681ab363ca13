"""One graph of a network for one thread: its memory, its launch, what a run notes."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dycl.runtime.buffers import Array, Buffer
from dycl.runtime.cuda.driver import CudaError
from dycl.runtime.cuda.kernels import SWITCH
from dycl.runtime.cuda.known import Known
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
from dycl.runtime.cuda.tree import Builder, Tree
from dycl.runtime.dtypes import numpy_dtype

if TYPE_CHECKING:
    from dycl.runtime.cuda.graph_runs import GraphRuns
    from dycl.runtime.cuda.services import CudaServices

_ALIGNMENT = 256
_LARGEST_AT_ONCE = 1 << 16
"""Bytes of a result that is copied with the record, whichever return ends the run."""


class GraphRun:
    """A graph that is built, with memory of its own."""

    def __init__(self, tree: Tree, services: CudaServices, known: Known):
        """`known`: the shapes of its memory. NoVariant: a kernel cannot be a node.
        CudaError: the driver does not take the graph, or there is no memory left."""
        self.tree, self._services = tree, weakref.proxy(services)
        self._known = known
        self._queue, self._device = services.queue, services.device
        self.makers = eval(tree.text, {})
        """For each exit, what makes its result of services, and a function of operand
        numbers."""
        copied = {tree.returned[number][0] for number in tree.copied}
        copied |= {place for place, is_number in tree.returned if is_number}
        self._inside: dict[int, int] = {}
        """By number of memory, where it is in what is copied after a run."""
        size = 0
        for place, one in enumerate(tree.memory):
            if place in copied and one["kind"] == "buffer":
                dtype = numpy_dtype(one["dtype"])
                count = math.prod(known.shape(place)) * dtype.itemsize
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
        self._workspace: Buffer | None = None
        self._graph = self._build(services)

    def _build(self, services: CudaServices) -> int:
        def workspace(size: int) -> int:
            self._workspace = services.workspace(size)
            return self._workspace.address

        builder = Builder(
            services.all_kernels,
            self.tree,
            self._known,
            [buffer.address for buffer in self._buffers],
            [buffer.nbytes for buffer in self._buffers],
            self._region.address + self._record,
            workspace,
        )
        try:
            graph = builder.build()
        except CudaError as error:
            raise type(error)(
                f"building the graph of {self.tree.name}: {error.args[0]}; with "
                f"{SWITCH}=0 the host runs it"
            ) from error
        weakref.finalize(self, self._device.destroy_graph, graph)
        self._what = f"the graph of {self.tree.name}, of {builder.nodes} nodes"
        return graph

    def _made(self, place: int, one: dict[str, Any]) -> DeviceBuffer:
        dtype, shape, kind = one["dtype"], self._known.shape(place), one["kind"]
        made: Any
        if place in self._inside:
            part = Part(self._region, self._inside[place])
            made = DeviceBuffer(self._queue, numpy_dtype(dtype), shape, part)
        elif kind == "weight":
            made = self._services.param(one["path"], dtype, shape)
        elif kind == "constant":
            made = self._services.packed(dtype, shape, one["data"])
        elif kind == "view":
            made = self._buffers[one["of"]].view(shape)
        elif kind == "zeros":
            made = self._zeros(dtype, shape)
        elif kind == "known":
            made = DeviceBuffer(self._queue, numpy_dtype(dtype), shape)
            made.put(np.asarray(self._known.number(one["of"]), made.dtype))
        else:
            made = DeviceBuffer(self._queue, numpy_dtype(dtype), shape)
        return made

    def _zeros(self, dtype: str, shape: tuple[int, ...]) -> DeviceBuffer:
        result = DeviceBuffer(self._queue, numpy_dtype(dtype), shape)
        result.put(np.zeros(shape, result.dtype))
        return result

    # ---- a run

    def give(self, arguments: Sequence[Any]) -> None:
        """Copy what a run is given. OverflowError: an int has more than 64 bits."""
        for buffer, value in zip(self._buffers, arguments):
            if isinstance(value, Buffer):
                buffer.fill(value)
            else:
                buffer.put(np.asarray(value, buffer.dtype))

    def launch(self) -> None:
        """Queue a run, on what was given last. CudaError."""
        self._queue.launched.append(self._what)
        status = self._device.launch_graph(self._graph, self._queue.stream)
        self._device.check(status, self._what)

    def outcome(self) -> tuple[int, Array] | None:
        """The exit of the last run and the words of its decisions; None: it stopped.

        CudaError: something before it failed.
        """
        self._queue.download(self._copy, self._region.address)
        stopped, count, number = self._words.tolist()
        return None if stopped else (number, self._all(count))

    def _all(self, count: int) -> Array:
        """The words of the decisions."""
        if count <= len(self._first):
            return self._first[:count]
        entries = np.empty(count, np.uint32)
        address = self._region.address + self._record + ENTRIES
        self._queue.download(entries, address)
        return entries

    def value(self, number: int) -> Any:
        """What the caller of the network is given for an operand, after `outcome`: a
        number, or an array of its own."""
        place, is_number = self.tree.returned[number]
        buffer = self._buffers[place]
        if self._services.lends and not is_number:
            return self._services.owned(buffer)
        if place in self._inside:
            start = self._inside[place]
            data = self._copy[start : start + buffer.nbytes]
            array = data.view(buffer.dtype).reshape(buffer.shape).copy()
        else:
            array = buffer.array
        return array.item() if is_number else array

    def operand(self, number: int) -> Any:
        """What the rest of the host is given: a number, or memory of the device, which
        holds it until the next run."""
        place, is_number = self.tree.returned[number]
        return self.value(number) if is_number else self._buffers[place]


class SegmentRun:
    """What printed hosts call for a segment; see `host_services.Segment`."""

    def __init__(self, runs: GraphRuns, services: CudaServices):
        """`runs`: the graphs of the segment."""
        self._runs, self._services = runs, weakref.proxy(services)

    def __call__(self, *given: Any) -> tuple[bool, Any] | None:
        """Run it. CudaError."""
        run = self._runs.of(given)
        if run is None:
            return None
        try:
            run.give(given)
        except OverflowError:
            return None  # The host has ints of any size.
        run.launch()
        if run.tree.is_plain:
            return False, run.makers[0](self._services, run.operand)
        outcome = run.outcome()
        if outcome is None:
            return None
        number, entries = outcome
        self._services.taken += decisions(entries)
        leads_on = number == run.tree.behind
        value = run.operand if leads_on else run.value
        return not leads_on, run.makers[number](self._services, value)


class Part(Allocation):
    """A part of other memory, which it keeps."""

    def __init__(self, of: DeviceBuffer, start: int):
        """From byte `start` on."""
        self._of = of
        self.address = of.address + start


assert (STOPPED, COUNT, EXIT) == (0, 8, 16), "the words of a record are in this order"
