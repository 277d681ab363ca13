"""Graphs of the driver: kernels and conditional nodes, one after the other.

What NVIDIA's header says of `CUgraphNodeParams` is read by its own compiler.
"""

import ctypes
import subprocess
from ctypes import c_uint64
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KERNEL, CONDITIONAL = 0, 13
IF, WHILE, SWITCH = 0, 1, 2
ASSIGN_DEFAULT = 1
MOST_ROUNDS = 2000
"""Of a loop; more is taken for one without an end."""
_LAYOUT = "layout.so"


class Fault(Exception):
    """What a run of a graph does wrong."""


@dataclass
class Handle:
    """A condition: of which graph, which node asks it, and what it is."""

    graph: Any
    default: Any
    node: Any = None
    value: Any = None


@dataclass
class Graph:
    """Nodes in order: `("kernel", call)`, or `("decision", handle, kind, bodies)`."""

    root: Any = None
    nodes: list[Any] = field(default_factory=list)
    last: Any = None

    @property
    def top(self):
        """The graph that this one is a body of, or itself."""
        return self if self.root is None else self.root.top


def build(folder):
    """Compile what `Layout` reads structs by, with the header that Triton has."""
    import triton

    include = Path(triton.__file__).parent / "backends/nvidia/include"
    source = Path(__file__).parent / "layout.c"
    command = ["cc", "-O1", "-shared", "-fPIC", "-Wall", f"-I{include}", str(source)]
    subprocess.run([*command, "-o", str(folder / _LAYOUT)], check=True, timeout=60)


class Layout:
    """Reads structs of the driver, compiled with NVIDIA's header."""

    def __init__(self, folder):
        self._loaded = ctypes.CDLL(str(Path(folder) / _LAYOUT))
        self._kept = []

    def kind(self, params):
        """Its kind; None: a byte is set that has to be zero."""
        address = ctypes.c_void_p(params)
        clean = self._loaded.node_is_clean(address)
        return self._loaded.node_kind(address) if clean else None

    def kernel(self, params):
        """The fields of a kernel, in order."""
        return self._fields("node_kernel", params, 12)

    def conditional(self, params):
        """Handle, type, size and context."""
        return self._fields("node_conditional", params, 4)

    def launch(self, config):
        """Grid, block, shared memory, stream, attributes and their number."""
        return self._fields("launch_config", config, 10)

    def set_bodies(self, params, bodies):
        """Give the caller the graphs of the bodies."""
        array = (ctypes.c_void_p * len(bodies))(*bodies)
        self._kept.append(array)
        self._loaded.node_set_bodies(ctypes.c_void_p(params), array)

    def _fields(self, name, params, count):
        out = (c_uint64 * count)()
        getattr(self._loaded, name)(ctypes.c_void_p(params), out)
        return list(out)


def run(graph, handles, run_kernel):
    """Run a graph; `run_kernel` takes a call. Fault: a condition is wrong."""
    own = [h for h in handles.values() if h.graph.top is graph.top]
    for handle in own:
        handle.value = handle.default
    _nodes(graph, handles, run_kernel)


def _nodes(graph, handles, run_kernel):
    for kind, *rest in graph.nodes:
        if kind == "kernel":
            if run_kernel(rest[0]):
                raise Fault("a kernel failed")
            continue
        number, how, bodies = rest
        if how == WHILE:
            rounds = 0
            while _asked(handles, number):
                _nodes(bodies[0], handles, run_kernel)
                rounds += 1
                if rounds > MOST_ROUNDS:
                    raise Fault("a loop does not end")
            continue
        value = _asked(handles, number)
        place = value if how == SWITCH else 0 if value else 1
        if place < len(bodies):
            _nodes(bodies[place], handles, run_kernel)


def _asked(handles, number):
    value = handles[number].value
    if value is None:
        raise Fault("a condition is asked that no kernel has set")
    return value
