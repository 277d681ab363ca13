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
        where the best division does not gain `least-gain`, neither on average nor on
        any path.

A call takes, by the model: for each launch, as often as `dycl.runs` says (or half of
what is around a decision, eight times what is around a loop), the time of its kernel;
for each image that stands in rows because some backend has no blocks, what our own
kernels convert, at `gigabytes-per-second`; and for each tensor that is made on one side
of the border between GPU and processor and used on the other, a copy. The division is
the best one: a minimum cut (Ford and Fulkerson, 1956) between ours and the fastest
other backend of each kernel, as in Stone, Multiprocessor scheduling with the aid of
network flow algorithms (1977), section 3. What images cost fits it, since they cost
nothing where all are ours. There are three sides and still one cut, since they are in a
row: ours, others of the processor, the GPU. An image is converted at the first border,
and a tensor copied at the second, so that each kernel has two nodes, of which the
second can be beyond only if the first is (Ishikawa, Exact optimization for Markov
random fields with convex priors, 2003).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from dycl.analysis.control.frequencies import frequencies
from dycl.analysis.control.paths import heaviest
from dycl.analysis.memory.handovers import Handover, handovers
from dycl.analysis.memory.transfers import Passed, passed_tensors
from dycl.diag import remark
from dycl.ir import LaunchOp
from dycl.ir.claims import kernels_of
from dycl.ir.costs import RUNS, TIMES, times_of
from dycl.ir.functions import BACKEND, OURS
from dycl.ir.host.memories import GPU


@dataclass(frozen=True)
class PlaceKernelsPass(ModulePass):
    """Each kernel goes to the backend with which a call is fastest."""

    name = "dycl-place-kernels"

    gigabytes_per_second: float = 4.0
    """How fast an image is packed into blocks, or unpacked."""

    copy_microseconds: float = 10.0
    """What a copy between the memory of a GPU and that of the processor takes."""

    copy_gigabytes_per_second: float = 12.0
    """How fast it is, beyond that."""

    least_gain: float = 0.05
    """By how much, as a part of the time with the division, a call has to take longer
    without it, on average or on some path."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change attributes of kernels and launches; raises nothing."""
        kernels = {kernel.sym_name.data: kernel for kernel in kernels_of(op)}
        images, tensors = handovers(op, kernels), passed_tensors(op)
        problem = _Problem(op, kernels, frequencies(op), images, tensors, self)
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

    module: ModuleOp
    kernels: Mapping[str, FuncOp]
    runs: Mapping[LaunchOp, float]
    images: list[Handover]
    tensors: list[Passed]
    given: PlaceKernelsPass

    def solution(self) -> dict[str, str]:
        """The kernels that others compute, each with its backend."""
        free = {
            name: times
            for name, kernel in self.kernels.items()
            if (times := self._free(kernel))
        }
        if not free:
            return {}
        counts = self._counts()
        ours = sum(
            self._cost(counts[name], _now(kernel))
            for name, kernel in self.kernels.items()
        )
        cut, moved = self._cut(free, counts)
        if not moved:
            return {}
        if ours > cut * (1.0 + self.given.least_gain) or self._gains_on_a_path(moved):
            return moved
        return {}

    def _gains_on_a_path(self, moved: Mapping[str, str]) -> bool:
        """Whether some path gains enough, however seldom it is taken."""
        divided = self._by_launch(moved)
        longer = 1.0 + self.given.least_gain

        def weight(launch: LaunchOp) -> float:
            return self._time(launch, {}) - longer * divided[launch]

        return heaviest(self.module, weight) > 1e-9

    def _by_launch(self, moved: Mapping[str, str]) -> dict[LaunchOp, float]:
        """Microseconds of each launch with what it converts and copies, if the kernels
        are divided like this."""
        result = {launch: self._time(launch, moved) for launch in self.runs}
        for image in self.images:
            if all(launch.kernel_name not in moved for launch in image.launches):
                continue
            for launch, count in image.launches.items():
                if launch.kernel_name not in moved:
                    result[launch] += count * self._conversion(image)
        for tensor in self.tensors:
            made = {self._on_gpu(launch, moved) for launch in tensor.makers}
            made |= {False} if tensor.host_makes else set[bool]()
            for launch in tensor.users:
                if made - {self._on_gpu(launch, moved)}:
                    result[launch] += self._copy(tensor)
            for launch in tensor.makers if tensor.host_uses else ():
                if self._on_gpu(launch, moved):
                    result[launch] += self._copy(tensor)
        return result

    def _time(self, launch: LaunchOp, moved: Mapping[str, str]) -> float:
        kernel = self.kernels.get(launch.kernel_name)
        if kernel is None:
            return 0.0
        if (backend := moved.get(launch.kernel_name)) is not None:
            return times_of(kernel)[backend]
        return _now(kernel)

    def _on_gpu(self, launch: LaunchOp, moved: Mapping[str, str]) -> bool:
        name = launch.kernel_name
        known = name in self.kernels
        return known and moved.get(name, _asked(self.kernels[name])) == GPU

    def _conversion(self, image: Handover) -> float:
        """Microseconds of one."""
        return image.nbytes / self.given.gigabytes_per_second / 1000.0

    def _copy(self, tensor: Passed) -> float:
        """Microseconds of one."""
        beyond = tensor.nbytes / self.given.copy_gigabytes_per_second / 1000.0
        return self.given.copy_microseconds + beyond

    def _counts(self) -> dict[str, float]:
        """How often a call launches each kernel."""
        counts = dict.fromkeys(self.kernels, 0.0)
        for launch, runs in self.runs.items():
            if launch.kernel_name in counts:
                counts[launch.kernel_name] += runs
        return {name: max(count, _LEAST_RUNS) for name, count in counts.items()}

    @staticmethod
    def _free(kernel: FuncOp) -> dict[str, float]:
        """The times of a kernel by backend; {}: it is ours in any case."""
        times = times_of(kernel)
        if BACKEND in kernel.attributes or OURS not in times or len(times) < 2:
            return {}
        return times

    @staticmethod
    def _cost(runs: float, microseconds: float) -> int:
        return round(1000.0 * runs * microseconds)

    def _cut(
        self, free: Mapping[str, Mapping[str, float]], counts: Mapping[str, float]
    ) -> tuple[int, dict[str, str]]:
        """The cost of the best division, and the kernels that are not ours in it."""
        import networkx

        graph = _Cuts(networkx.DiGraph())
        best: dict[str, str] = {}
        for name, kernel in self.kernels.items():
            times = free.get(name, {})
            others = sorted((t, n) for n, t in times.items() if n not in (OURS, GPU))
            own = self._cost(counts[name], _now(kernel))
            graph.cost(f"@{name}", _OTHERS, own)
            graph.never(f"@{name}", f"{GPU}@{name}")
            if _asked(kernel) != OURS:
                self._pin(graph, kernel, own)
                continue
            if others:
                best[name] = others[0][1]
                graph.cost(
                    f"{GPU}@{name}", f"@{name}", self._of(others[0], counts, name)
                )
            else:
                graph.never(f"{GPU}@{name}", f"@{name}")
            if GPU in times:
                on_gpu = self._of((times[GPU], GPU), counts, name)
                graph.cost(_OURS, f"{GPU}@{name}", on_gpu)
            else:
                graph.never(_OURS, f"{GPU}@{name}")
        self._add_images(graph)
        if any(GPU in times for times in free.values()):
            self._add_copies(graph)
        cost, (_, moved) = networkx.minimum_cut(graph.graph, _OURS, _OTHERS)
        result: dict[str, str] = {}
        for name in free:
            if f"{GPU}@{name}" in moved:
                result[name] = GPU
            elif f"@{name}" in moved:
                result[name] = best[name]
        return cost, result

    @staticmethod
    def _pin(graph: "_Cuts", kernel: FuncOp, own: int) -> None:
        """It is where it asks to be, which costs what it costs."""
        name = kernel.sym_name.data
        graph.cost(_OURS, f"@{name}", own)
        graph.never(f"@{name}", _OTHERS)
        if _asked(kernel) == GPU:
            graph.never(f"{GPU}@{name}", _OTHERS)
        else:
            graph.never(_OURS, f"{GPU}@{name}")

    def _of(
        self, time: tuple[float, str], counts: Mapping[str, float], name: str
    ) -> int:
        return self._cost(counts[name], time[0])

    def _add_images(self, graph: "_Cuts") -> None:
        """What our kernels convert, where an image is not theirs alone."""
        for number, image in enumerate(self.images):
            conversion = self._conversion(image)
            for launch, count in image.launches.items():
                kernel = f"@{launch.kernel_name}"
                graph.never(number, kernel)
                cost = self._cost(count * self.runs[launch], conversion)
                graph.cost(kernel, number, cost)

    def _add_copies(self, graph: "_Cuts") -> None:
        """What is copied between the memory of the GPU and that of the processor."""
        for number, tensor in enumerate(self.tensors):
            made = [_in_memory(launch) for launch in tensor.makers]
            made += [_OURS] * tensor.host_makes
            used = [_in_memory(launch) for launch in tensor.users]
            used += [_OURS] * tensor.host_uses
            if not made or not used:
                continue
            cost = self._cost(tensor.copies(self.runs), self._copy(tensor))
            # One copy is for all users: `to` is on the GPU if any of them is, and
            # `back` is not if any is not.
            to, back = f"to {number}", f"back {number}"
            for user in used:
                graph.never(to, user)
                graph.never(user, back)
            for maker in made:
                graph.cost(maker, to, cost)
                graph.cost(back, maker, cost)


def _asked(kernel: FuncOp) -> str:
    """The backend of a kernel that nobody moves."""
    backend = kernel.attributes.get(BACKEND)
    return backend.data if isinstance(backend, StringAttr) else OURS


def _now(kernel: FuncOp) -> float:
    """Microseconds of a launch of a kernel that nobody moves."""
    return times_of(kernel).get(_asked(kernel), 0.0)


def _in_memory(launch: LaunchOp) -> str:
    return f"{GPU}@{launch.kernel_name}"


@dataclass
class _Cuts:
    """A network of flows: an edge costs what it carries if it begins among ours and
    ends among others."""

    graph: Any

    def cost(self, one: _Node, other: _Node, cost: int) -> None:
        """What it costs if one is among ours, and the other is not."""
        if one != other:
            known = self.graph.get_edge_data(one, other, {"capacity": 0})
            if "capacity" in known:
                self.graph.add_edge(one, other, capacity=known["capacity"] + cost)

    def never(self, one: _Node, other: _Node) -> None:
        """One cannot be among ours while the other is not."""
        if one != other:
            self.graph.add_edge(one, other)
            self.graph[one][other].pop("capacity", None)
