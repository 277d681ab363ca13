"""The CUDA backend: kernels as Triton functions and as PTX, to look at and to check.

It drives no GPU yet: a network that is compiled for it can be shown, not called.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dycl.diag import CodedError, CompileError
from dycl.kernels import KernelSpec, NoObjectCode, PlainLoops, Progress
from dycl.kernels.cuda.tile.program import Program, module_text
from dycl.runtime.targets import NATIVE


@dataclass(frozen=True)
class CudaBackend:
    """Kernels for NVIDIA's GPUs. `target`, the processor, says nothing about them."""

    OPTIONAL_STEPS: ClassVar[tuple[str, ...]] = ()

    target: str = NATIVE
    cache: bool = True
    threads: int = 1
    without: tuple[str, ...] = ()
    narrow: bool = False
    timeout: float = math.inf

    def compile(
        self,
        module_text: str,
        specs: Sequence[KernelSpec] = (),
        progress: Progress | None = None,
    ) -> "CudaLibrary":
        """All kernels of a module; see `KernelBackend.compile`."""
        from dycl.kernels.cuda.building import tiles_of

        tiles = tiles_of(module_text, self.timeout)
        library = CudaLibrary(
            tiles.specs, tiles.programs, dict(tiles.stages), self.cache
        )
        for count, spec in enumerate(library.specs, start=1):
            if progress is not None:
                progress(count, len(library.specs), spec.name, False)
        return library

    def check_each(self, module_texts: Sequence[str]) -> list[CodedError | None]:
        """Look for a template for each kernel; see `KernelBackend.check_each`."""
        from dycl.kernels.cuda.building import check_each

        return [*check_each(module_texts, self.timeout)]


class CudaLibrary:
    """The kernels of one module."""

    plain: Sequence[PlainLoops] = ()

    def __init__(
        self,
        specs: tuple[KernelSpec, ...],
        programs: tuple[Program, ...],
        stages: dict[str, str],
        use_cache: bool,
    ):
        """Take what was built."""
        self.specs = specs
        self.programs = programs
        self._before = stages
        self._use_cache = use_cache
        self._kernels = {spec.name: CudaKernel(spec) for spec in specs}

    def __getitem__(self, name: str) -> "CudaKernel":
        """The kernel called `name`. Raises KeyError if there is none."""
        return self._kernels[name]

    @property
    def symbols(self) -> Mapping[str, str]:
        """NoObjectCode."""
        raise NoObjectCode("cuda")

    def objects(self) -> Mapping[str, bytes]:
        """NoObjectCode."""
        raise NoObjectCode("cuda")

    def shared_object(self) -> bytes:
        """NoObjectCode."""
        raise NoObjectCode("cuda")

    def use_linked(self, code: bytes) -> None:
        """NoObjectCode."""
        raise NoObjectCode("cuda")

    def stages(self) -> Mapping[str, str]:
        """`torch`, `linalg`, `tile`, and `ptx`, which is compiled when it is read."""
        return _Stages({**self._before, "tile": module_text(self.programs)}, self._ptx)

    def _ptx(self) -> str:
        from dycl.kernels.cuda.ptx import ARCHITECTURES, compiled

        functions = [f for program in self.programs for f in program.functions]
        parts: list[str] = []
        for architecture in ARCHITECTURES:
            for one in compiled(functions, architecture, use_cache=self._use_cache):
                head = f"// {one.entry}, {one.warps} warps, {one.shared} bytes shared"
                parts.append(f"{head}\n{one.text}")
        return "\n".join(parts)


class _Stages(dict[str, str]):
    """Texts by stage, the last of which takes Triton."""

    def __init__(self, texts: Mapping[str, str], make_ptx: Any):
        super().__init__(texts, ptx="")
        self._make_ptx = make_ptx

    def __getitem__(self, stage: str) -> str:
        if stage == "ptx" and not super().__getitem__(stage):
            self[stage] = self._make_ptx()
        return super().__getitem__(stage)


class CudaKernel:
    """One kernel: it can be looked at only."""

    prepared = None
    workspace = 0

    def __init__(self, spec: KernelSpec):
        self.spec = spec
        self.inputs_left = tuple(range(len(spec.inputs)))

    def __call__(self, *values: Any) -> list[Any]:
        """CompileError (DY505)."""
        raise CompileError(
            "DY505",
            f"kernel @{self.spec.name} is for a GPU, and DyCL drives none yet",
            self.spec.location,
            hint="backend='cpu' runs the network on this machine; "
            "`dycl show NET kernels --backend cuda` prints the CUDA kernels",
        )
