"""The graphs of a network, or of a segment, for one thread: one, or one for the sizes
of each call that come again."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union

from dycl.runtime.buffers import Buffer
from dycl.runtime.cuda.driver import CudaError
from dycl.runtime.cuda.graph_run import GraphRun
from dycl.runtime.cuda.known import Known, Misfit, NotKnown
from dycl.runtime.cuda.memory import DeviceBuffer
from dycl.runtime.cuda.variants import NoVariant

if TYPE_CHECKING:
    from dycl.runtime.cuda.services import CudaServices
    from dycl.runtime.cuda.tree import Tree

_MOST_GRAPHS = 8
"""Each has memory of its own."""
_MOST_KNOWN = 256
"""Sizes that are remembered."""
_PATIENCE = 16
"""Calls of a size by the host, until another graph is forgotten for it: of sizes that
take turns, building would take longer than running."""

_Key = tuple[Union[tuple[int, ...], None], ...]


class GraphRuns:
    """What runs a tree on arguments of any sizes that have come before."""

    def __init__(self, tree: Tree, services: CudaServices):
        """NoVariant: a kernel cannot be a node. CudaError."""
        self._tree, self._services = tree, weakref.ref(services)
        self._one = None if tree.is_open else GraphRun(tree, services, Known(tree))
        self._runs: dict[_Key, GraphRun] = {}
        """The ones that ran last come last."""
        self._seen: dict[_Key, int | None] = {}
        """How often sizes were run by the host; None: they have no graph."""

    def of(self, given: Sequence[Any]) -> GraphRun | None:
        """The graph for arguments of these sizes; None: the host is to run them.

        CudaError (DY507): there is none for them, and the network has to be a graph.
        """
        if self._one is not None:
            return self._one
        key = tuple(map(_shape, given))
        run = self._runs.pop(key, None)
        if run is None:
            run = self._first(key)
        if run is not None:
            self._runs[key] = run
        return run

    def _first(self, key: _Key) -> GraphRun | None:
        """A graph for sizes that have come before; it takes longer than some runs."""
        services = self._services()
        assert services is not None, "it runs this"
        kernels = services.all_kernels
        times = self._seen.get(key, 0)
        is_full = len(self._runs) >= _MOST_GRAPHS
        least = 0 if kernels.is_whole_only else _PATIENCE if is_full else 1
        if times is None or times < least:
            self._remember(key, times if times is None else times + 1)
            return None
        try:
            known = Known(self._tree, kernels, key)
            if is_full:
                services.finish()  # The one that has not run for longest may still run.
                last = next(iter(self._runs))
                del self._runs[last]
                self._remember(last, 0)
            return GraphRun(self._tree, services, known)
        except Misfit:
            pass  # The host knows whether that is an error on the path of this run.
        except (NotKnown, NoVariant) as error:
            kernels.is_no_graph(self._tree.name, error)
        except CudaError as error:
            self._runs.clear()  # There may be memory for the host.
            kernels.is_no_graph(self._tree.name, ValueError(*error.args))
        self._remember(key, None)
        return None

    def _remember(self, key: _Key, times: int | None) -> None:
        self._seen.pop(key, None)
        self._seen[key] = times
        if len(self._seen) > _MOST_KNOWN:
            del self._seen[next(iter(self._seen))]


def _shape(value: Any) -> tuple[int, ...] | None:
    """Of an argument; None: it is a number."""
    if isinstance(value, DeviceBuffer):
        return value.shape
    return value.array.shape if isinstance(value, Buffer) else None
