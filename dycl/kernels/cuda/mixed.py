"""The kernels of a network of which a GPU computes a part."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from dycl.ir.host.memories import COPY, GPU
from dycl.kernels import KernelLibrary
from dycl.kernels.copies import CopyLibrary
from dycl.kernels.cuda.backend import CudaLibrary
from dycl.kernels.joined import JoinedLibrary
from dycl.runtime.cuda.mixed import MixedKernels, copies_as_json
from dycl.runtime.host_services import HostServices


class MixedLibrary(JoinedLibrary):
    """Each kernel is that of its own library; hosts ask the runtime for those of the
    GPU, and for copies."""

    lends = True
    """Whether the network takes tensors that are on the GPU."""
    waits = True
    """Whether a network is made where the GPU is full: calls find room, or say so."""

    def __init__(self, order: Sequence[str], libraries: Mapping[str, KernelLibrary]):
        """`libraries`: by the name of a backend, of which one is the GPU's."""
        super().__init__(order, libraries)
        gpu = libraries[GPU]
        assert isinstance(gpu, CudaLibrary)
        self._gpu = gpu

    @cached_property
    def copies(self) -> CopyLibrary | None:
        """The copies between both memories; None: nothing passes between kernels."""
        copies = self._libraries.get(COPY)
        return copies if isinstance(copies, CopyLibrary) else None

    @cached_property
    def _placed(self) -> MixedKernels:
        others = self._without(GPU, COPY)
        copies = [] if self.copies is None else list(self.copies.copies.values())
        return MixedKernels(self._gpu.on_device, others, copies)

    def _without(self, *names: str) -> JoinedLibrary:
        left = {n: one for n, one in self._libraries.items() if n not in names}
        known = {spec.name for library in left.values() for spec in library.specs}
        return JoinedLibrary([s.name for s in self.specs if s.name in known], left)

    def why_not_here(self) -> str:
        """Why no GPU of this machine can run its kernels, as a sentence, or ""."""
        return self._gpu.why_not_here()

    def make_services(self, *given: Any) -> HostServices:
        """What a printed host is given: buffers in both memories, if there is a GPU."""
        if self.why_not_here():
            self._gpu.explain_absence()
            return HostServices(self, *given)
        return self._placed.make_services(*given)

    @property
    def beside_native(self) -> MixedKernels:
        """What a native host asks for."""
        return self._placed

    @property
    def asked_for(self) -> frozenset[str]:
        """The names of these kernels."""
        own = {spec.name for spec in self._without(GPU, COPY).specs}
        return frozenset(spec.name for spec in self.specs if spec.name not in own)

    @property
    def symbols(self) -> dict[str, str]:
        """As `JoinedLibrary.symbols`, of the kernels of the processor."""
        return self._without(GPU, COPY).symbols

    def objects(self) -> dict[str, bytes]:
        """As `JoinedLibrary.objects`, of the kernels of the processor."""
        return self._without(GPU, COPY).objects()

    def use_linked(self, code: bytes) -> None:
        """Run the kernels of the processor from this shared object."""
        self._without(GPU, COPY).use_linked(code)

    @property
    def coded(self) -> JoinedLibrary:
        """The kernels that no engine and no GPU runs."""
        return self._without(GPU, COPY).coded

    def gpu_members(self) -> dict[str, bytes]:
        """What an artifact holds of the part of the GPU."""
        copies = self._placed.copies.values()
        members = dict(self._gpu.device_members())
        return {**members, "copies.json": copies_as_json(list(copies))}
