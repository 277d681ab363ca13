"""A network, or a segment of one, as a CUDA graph: its tree, and how it is built.

The tree is data (`graph.json`): memory by number, and nodes that name it. Built, it
runs with one launch: decisions are conditional nodes, which kernels set.
"""

from __future__ import annotations

import ctypes
import json
import struct
from collections.abc import Callable, Iterator, Sequence
from ctypes import POINTER, byref, c_size_t, c_uint, c_uint64, c_void_p
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

from dycl.runtime.cuda.driver import Device
from dycl.runtime.cuda.kernels import CudaKernel, CudaKernels, starts_of
from dycl.runtime.cuda.known import Known
from dycl.runtime.cuda.node_params import (
    IF,
    SWITCH,
    WHILE,
    NodeParams,
    conditional_node,
    kernel_node,
)
from dycl.runtime.cuda.variants import (
    BEGIN,
    COPY,
    COPY_THREADS,
    FIXED,
    NoVariant,
    variant,
)
from dycl.runtime.zipping import zip_equal

OLDEST_DRIVER = 12080
"""CUDA 12.8: the first with an `else`."""
OLDEST_DEVICE = 90
"""Compute capability 9.0."""
_SIGNATURES: Final = {
    "cuGraphCreate": (POINTER(c_void_p), c_uint),
    "cuGraphConditionalHandleCreate": (
        *(POINTER(c_uint64), c_void_p, c_void_p, c_uint, c_uint),
    ),
    "cuGraphAddNode_v2": (
        *(POINTER(c_void_p), c_void_p, POINTER(c_void_p), c_void_p, c_size_t),
        POINTER(NodeParams),
    ),
}
_DECISIONS: Final = {"if": IF, "while": WHILE, "switch": SWITCH}
"""Kinds of conditional nodes."""
THREAD: Final = "numbers"
"""The entry of the threads that compute numbers."""


@dataclass(frozen=True)
class Tree:
    """What there is to know of a network to make one graph of it."""

    memory: Sequence[dict[str, Any]]
    """By number: `dtype`, `shape`, and what it is. Arguments come first."""
    nodes: Sequence[Any]
    threads: Sequence[str]
    """PTX of what computes numbers."""
    returned: Sequence[tuple[int, bool]]
    """Memory that runs return, and whether it stands for a number."""
    decisions: int | None
    """The most that a run can make; None: there are loops."""
    segment: int | None
    """The number of the segment; None: it is the whole network."""
    behind: int | None
    """The exit that leads on to the rest of the host; None: each returns."""
    is_plain: bool
    """Whether all runs do the same, cannot stop, and give no numbers."""
    text: str
    """Python text: what each exit gives, as `lambda rt, v: ...` in a tuple."""
    copied: Sequence[int]
    """The places in `returned` that the caller of the network is given."""
    sizes: Sequence[Sequence[Any]] = ()
    """Steps to the numbers that sizes decide (`known.py`): `number` has a constant,
    `dim` memory and its dimension, the others earlier steps."""

    @cached_property
    def is_open(self) -> bool:
        """Whether a call decides sizes."""
        return any(-1 in one["shape"] for one in self.memory)

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return "the network" if self.segment is None else f"segment {self.segment}"


def trees_as_json(trees: Sequence[Tree]) -> bytes:
    """The trees of a network as a member of an artifact."""
    data = [asdict(tree) for tree in trees]
    text = json.dumps(data, separators=(",", ":"), sort_keys=True)
    return f"{text}\n".encode()


def trees_from_json(data: bytes) -> list[Tree]:
    """The trees of an artifact."""
    return [Tree(**one) for one in json.loads(data)]


def can_decide(device: Device) -> bool:
    """Whether the device and its driver know conditional nodes with an `else`."""
    return device.capability >= OLDEST_DEVICE and device.driver >= OLDEST_DRIVER


Guard = Any
"""None, or the memory of a byte and whether it is negated."""


class Builder:
    """Builds the graph of a tree, for the memory of one thread."""

    def __init__(
        self,
        kernels: CudaKernels,
        tree: Tree,
        known: Known,
        addresses: Sequence[int],
        sizes: Sequence[int],
        record: int,
        make_workspace: Callable[[int], int],
    ):
        """`known`: the shapes of the memory; `addresses` and `sizes`, in bytes, of it;
        `record`: where a run notes what happens. NoVariant: a kernel cannot be a node.
        CudaError."""
        self._device = kernels.device
        self._kernels, self._tree, self._known = kernels, tree, known
        self._addresses, self._sizes, self._record = addresses, sizes, record
        self._handles: dict[int, int] = {}
        declare(self._device)
        launches = _launches_of(tree.nodes)
        largest = max((self._temporaries(*one)[1] for one in launches), default=0)
        self._workspace = make_workspace(largest) if largest else 0
        self.nodes = 0
        """How many there are, those in bodies included."""

    def build(self) -> int:
        """The graph, to be launched. CudaError."""
        graph = c_void_p()
        self._device.call("cuGraphCreate", byref(graph), 0)
        try:
            begin = self._kernels.function(FIXED[BEGIN], BEGIN, 0)
            last = self._add_kernel(graph, None, begin, 1, 1, 0, [self._record])
            self._body(graph, self._tree.nodes, last)
            return self._device.instantiate(graph)
        finally:
            self._device.call("cuGraphDestroy", graph)

    def _body(self, graph: Any, nodes: Sequence[Any], last: Any = None) -> None:
        """Nodes, one after the other."""
        for kind, first, *_ in nodes:
            if kind in _DECISIONS:
                self._handles[first] = self._handle(graph)
        for node in nodes:
            kind, *rest = node
            if kind == "launch":
                last = self._launch(graph, last, *rest)
            elif kind == "copy":
                last = self._copy(graph, last, *rest)
            elif kind == "thread":
                last = self._thread(graph, last, *rest)
            else:
                last = self._decision(graph, last, kind, *rest)

    def _handle(self, graph: Any) -> int:
        handle = c_uint64()
        self._device.call(
            *("cuGraphConditionalHandleCreate", byref(handle), graph),
            *(self._device.context, 0, 0),
        )
        return handle.value

    def _launch(
        self,
        graph: Any,
        last: Any,
        name: str,
        inputs: Sequence[Any],
        outputs: Sequence[int],
        guard: Guard,
    ) -> Any:
        kernel = self._kernels[name]
        numbers = {
            i for i, v in enumerate(inputs) if isinstance(v, dict) and "slot" in v
        }
        words = [self._word(v, i, kernel) for i, v in enumerate(inputs)]
        words += [self._addresses[place] for place in outputs]
        starts, _ = self._temporaries(name, inputs)
        words += [self._workspace + start for start in starts]
        grids = [code.blocks for code in kernel.code.functions]
        if (sizes := kernel.code.open) is not None:
            values = self._known.values(kernel, inputs)
            words += [values[step] for step in sizes.numbers]
            grids = [values[step] for step in sizes.blocks]
        for handle, code, blocks in zip_equal(
            kernel.handles, kernel.code.functions, grids
        ):
            if not blocks:
                continue  # It has nothing to do.
            given = [words[place] for place in code.parameters]
            at = [n for n, place in enumerate(code.parameters) if place in numbers]
            scratch = code.parameter_count - len(given)
            function = handle
            if at or guard is not None:
                try:
                    function = self._variant(
                        code.ptx, code.entry, code.shared, at, guard
                    )
                except NoVariant as error:
                    raise NoVariant(f"{kernel.code.what}: {error.args[0]}") from error
            last = self._add_kernel(
                *(graph, last, function, blocks, 32 * code.warps, code.shared),
                [*given, *[0] * scratch, *self._guard(guard)],
            )
        return last

    def _temporaries(self, name: str, inputs: Sequence[Any]) -> tuple[list[int], int]:
        """Where the temporaries of a launch begin, and their bytes."""
        kernel = self._kernels[name]
        if kernel.code.open is None:
            return kernel.starts, kernel.workspace
        values = self._known.values(kernel, inputs)
        return starts_of([values[step] for step in kernel.code.open.temporaries])

    def _word(self, value: Any, index: int, kernel: CudaKernel) -> int:
        if not isinstance(value, dict):
            return self._addresses[value]
        if "slot" in value:
            return self._addresses[value["slot"]]
        is_size = "size" in value
        number = self._known.number(value["size"]) if is_size else value["number"]
        if kernel.code.floats[index]:
            (number,) = struct.unpack("q", struct.pack("d", number))
        return int(number)

    def _copy(self, graph: Any, last: Any, source: int, to: int, guard: Guard) -> Any:
        words, rest = divmod(self._sizes[source], 8)
        if not words + rest:
            return last
        blocks = -(-(words + rest) // COPY_THREADS)
        ends = [self._addresses[source], self._addresses[to]]
        function = self._variant(FIXED[COPY], COPY, 0, (), guard)
        return self._add_kernel(
            *(graph, last, function, blocks, COPY_THREADS, 0),
            [*ends, words, rest, *self._guard(guard)],
        )

    def _thread(
        self,
        graph: Any,
        last: Any,
        number: int,
        memory: Sequence[int],
        conditions: Sequence[int],
        guard: Guard,
    ) -> Any:
        function = self._variant(self._tree.threads[number], THREAD, 0, (), guard)
        given = [self._addresses[place] for place in memory]
        given += [self._handles[condition] for condition in conditions]
        return self._add_kernel(
            *(graph, last, function, 1, 1, 0),
            [*given, self._record, *self._guard(guard)],
        )

    def _decision(
        self, graph: Any, last: Any, kind: str, condition: int, *bodies: Sequence[Any]
    ) -> Any:
        is_if = _DECISIONS[kind] == IF
        filled = [bodies[0]] if is_if and not any(bodies[1:]) else [*bodies]
        params = conditional_node(
            self._handles[condition],
            _DECISIONS[kind],
            len(filled),
            self._device.context,
        )
        node = self._add(graph, last, params)
        made = params.of.conditional.bodies
        for place, body in enumerate(filled):
            self._body(c_void_p(made[place]), body)
        return node

    def _variant(
        self, ptx: str, entry: str, shared: int, at: Sequence[int], guard: Guard
    ) -> int:
        negated = None if guard is None else bool(guard[1])
        return self._kernels.function(variant(ptx, entry, at, negated), entry, shared)

    def _guard(self, guard: Guard) -> list[int]:
        return [] if guard is None else [self._addresses[guard[0]]]

    def _add_kernel(
        self,
        graph: Any,
        last: Any,
        function: int,
        blocks: int,
        threads: int,
        shared: int,
        words: Sequence[int],
    ) -> Any:
        params = kernel_node(function, blocks, threads, shared)
        slots = (ctypes.c_uint64 * len(words))(*(word % 2**64 for word in words))
        first = ctypes.addressof(slots)
        pointers = (c_void_p * len(words))(*(first + 8 * i for i in range(len(words))))
        params.of.kernel.parameters = ctypes.cast(pointers, POINTER(c_void_p))
        return self._add(graph, last, params)

    def _add(self, graph: Any, last: Any, params: Any) -> Any:
        node = c_void_p()
        before = None if last is None else (c_void_p * 1)(last)
        self._device.call(
            *("cuGraphAddNode_v2", byref(node), graph, before, None),
            *(0 if last is None else 1, byref(params)),
        )
        self.nodes += 1
        return node


def declare(device: Device) -> None:
    """Say what the functions take that build graphs with decisions."""
    for name, types in _SIGNATURES.items():
        device.declare(name, types)


def _launches_of(nodes: Sequence[Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    """The kernels that are launched, and what they are given."""
    for kind, first, *rest in nodes:
        if kind == "launch":
            yield first, rest[0]
        elif kind in _DECISIONS:
            for body in rest:
                yield from _launches_of(body)
