"""What runs a network that is one graph: arguments in, one launch, results out.

A run whose record says that it stopped is done again by the printed host, which raises,
prints or computes what the device could not. Nothing is lost by that: a graph has no
effects, and its arguments are still there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dycl.runtime.buffers import Array
from dycl.runtime.cuda.graph_runs import GraphRuns
from dycl.runtime.cuda.kernels import CudaKernels
from dycl.runtime.cuda.record import decisions
from dycl.runtime.cuda.services import CudaServices
from dycl.runtime.cuda.tree import Tree
from dycl.runtime.host_services import HostServices
from dycl.runtime.kernels import Argument
from dycl.runtime.preparation import Preparations
from dycl.runtime.weight_set import WeightSet


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
        """As `CudaServices`; the host is loaded when a run needs it. NoVariant: a
        kernel cannot be a node."""
        self._host_load = load
        self._has_host = False
        self._entries: Array | None = None
        super().__init__(kernels, weights, _not_yet, preparations)
        self._whole = GraphRuns(tree, self)

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
        given = self.opened(arguments)
        run = self._whole.of(given)
        if run is None:
            return self._by_host(*arguments)
        run.give(given)
        try:
            run.launch()
            outcome = run.outcome()
        except RuntimeError as error:
            self.queue.name_launched(error)
            raise
        if outcome is None:
            return self._by_host(*arguments)
        number, entries = outcome
        self._entries = entries.copy()
        returned = run.makers[number](self, run.value)
        self.end_lending()
        return returned

    def _by_host(self, *arguments: Argument) -> Any:
        """The whole run once more, with a launch for each kernel."""
        if not self._has_host:
            self._forward = self._host_load(self)
            self._has_host = True
        return super()._run(*arguments)


def _not_yet(services: HostServices) -> Callable[..., Any]:
    """The host before a run has needed it."""

    def forward(*arguments: Sequence[Any]) -> Any:
        raise AssertionError("the host is not loaded")

    return forward
