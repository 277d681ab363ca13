"""`dycl-place-kernels`: each kernel goes to the backend with which a call is fastest.

Before                                 After
------                                 -----
%b = dycl.launch @c(%x)                %b = dycl.launch @c(%x)
%y = dycl.launch @d(%b)                %y = dycl.launch @d(%b)
dycl.return %y                         dycl.return %y
func.func @c(%x) attributes {5, 6} {   func.func @c(%x) {
  %t = torch.aten.exp %x                 %t = torch.aten.exp %x
  func.return %t                         func.return %t
}                                      }
func.func @d(%b) attributes {9, 2} {   func.func @d(%b) attributes {toy} {
  %u = torch.aten.sinh %b                %u = torch.aten.sinh %b
  func.return %u                         func.return %u
}                                      }

`{9, 2}` stands for `{dycl.times = {cpu = 9.0 : f64, toy = 2.0 : f64}}`, microseconds of
a launch, and `{toy}` for `{dycl.backend = "toy"}`.

Needs:  `dycl-outline-branches`, and `dycl.times` on kernels: what was measured.
Leaves: `dycl.backend` on the kernels that others than `cpu` compute, which
        `dycl-annotate-backends` reads; no `dycl.times` and no `dycl.runs`.
Skips:  kernels that were not measured, or ask for a backend themselves; all of them,
        where the best division is not faster by `least-gain` than none.

A call takes, by the model: for each launch, as often as `dycl.runs` says (or half of
what is around a decision, eight times what is around a loop), the time of its kernel;
and for each image that stands in rows because some backend has no blocks, what our own
kernels convert, at `gigabytes-per-second`. The division is the best one: a minimum cut
(Ford and Fulkerson, 1956) between ours and the fastest other backend of each kernel, as
in Stone, Multiprocessor scheduling with the aid of network flow algorithms (1977),
section 3. What images cost fits it, since they cost nothing where all are ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from dycl.analysis.control.frequencies import frequencies
from dycl.analysis.memory.handovers import Handover, handovers
from dycl.diag import remark
from dycl.ir import LaunchOp
from dycl.ir.claims import kernels_of
from dycl.ir.costs import RUNS, TIMES, times_of
from dycl.ir.functions import BACKEND, OURS


@dataclass(frozen=True)
class PlaceKernelsPass(ModulePass):
    """Each kernel goes to the backend with which a call is fastest."""

    name = "dycl-place-kernels"

    gigabytes_per_second: float = 4.0
    """How fast an image is packed into blocks, or unpacked."""

    least_gain: float = 0.05
    """The part of a call's time that has to be gained."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change attributes of kernels and launches; raises nothing."""
        kernels = {kernel.sym_name.data: kernel for kernel in kernels_of(op)}
        problem = _Problem(kernels, frequencies(op), handovers(op, kernels), self)
        for name, backend in problem.solution().items():
            times = times_of(kernels[name])
            others = ", ".join(f"{times[n]:.1f} us by {n}" for n in sorted(times))
            remark(kernels[name], f"placed on {backend}", f"a launch takes {others}")
            kernels[name].attributes[BACKEND] = StringAttr(backend)
        for kernel in kernels.values():
            kernel.attributes.pop(TIMES, None)
        for launch in problem.runs:
            launch.attributes.pop(RUNS, None)


_OURS, _OTHERS = "ours", "others"
"""The two ends of the network of flows; between them are kernels and images."""

_LEAST_RUNS = 0.001
"""Of a kernel that no call has run yet: it still goes to who is faster."""

_Node = str | int


@dataclass
class _Problem:
    """What to choose between, and what it costs, in nanoseconds of an average call."""

    kernels: Mapping[str, FuncOp]
    runs: Mapping[LaunchOp, float]
    images: list[Handover]
    given: PlaceKernelsPass

    def solution(self) -> dict[str, str]:
        """The kernels that others compute, each with its backend."""
        chosen = {
            name: found
            for name, kernel in self.kernels.items()
            if (found := self._other(kernel)) is not None
        }
        if not chosen:
            return {}
        counts = self._counts()
        ours = sum(
            self._cost(counts[name], times_of(kernel).get(OURS, 0.0))
            for name, kernel in self.kernels.items()
        )
        cut, moved = self._cut(chosen, counts)
        if not moved or cut >= ours * (1.0 - self.given.least_gain):
            return {}
        return {name: chosen[name] for name in chosen if name in moved}

    def _counts(self) -> dict[str, float]:
        """How often a call launches each kernel."""
        counts = dict.fromkeys(self.kernels, 0.0)
        for launch, runs in self.runs.items():
            if launch.kernel_name in counts:
                counts[launch.kernel_name] += runs
        return {name: max(count, _LEAST_RUNS) for name, count in counts.items()}

    @staticmethod
    def _other(kernel: FuncOp) -> str | None:
        """The fastest other backend of a kernel; None: it is ours in any case."""
        times = times_of(kernel)
        others = sorted((time, name) for name, time in times.items() if name != OURS)
        if BACKEND in kernel.attributes or OURS not in times or not others:
            return None
        return others[0][1]

    @staticmethod
    def _cost(runs: float, microseconds: float) -> int:
        return round(1000.0 * runs * microseconds)

    def _cut(
        self, chosen: Mapping[str, str], counts: Mapping[str, float]
    ) -> tuple[int, set[_Node]]:
        """The cost of the best division, and the kernels that are not ours in it.

        An edge costs what it carries if it begins among ours and ends among others.
        """
        import networkx

        graph: Any = networkx.DiGraph()
        graph.add_nodes_from((_OURS, _OTHERS))
        for name, kernel in self.kernels.items():
            times = times_of(kernel)
            own = self._cost(counts[name], times.get(OURS, 0.0))
            graph.add_edge(f"@{name}", _OTHERS, capacity=own)
            if name in chosen:
                other = self._cost(counts[name], times[chosen[name]])
                graph.add_edge(_OURS, f"@{name}", capacity=other)
            else:
                graph.add_edge(_OURS, f"@{name}")  # Without a limit: never cut.
        for number, image in enumerate(self.images):
            conversion = image.nbytes / self.given.gigabytes_per_second / 1000.0
            for launch, count in image.launches.items():
                kernel = f"@{launch.kernel_name}"
                graph.add_edge(number, kernel)
                cost = self._cost(count * self.runs[launch], conversion)
                known = graph.get_edge_data(kernel, number, {"capacity": 0})
                graph.add_edge(kernel, number, capacity=known["capacity"] + cost)
        cost, (_, others) = networkx.minimum_cut(graph, _OURS, _OTHERS)
        return cost, {n[1:] for n in others if isinstance(n, str) and n[0] == "@"}
