"""The CPU backend: kernels that are all known are read, others are compiled.

MLIR is imported only for these: to know what there is takes no compiler.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dycl.diag import CodedError
from dycl.kernels import Progress
from dycl.kernels.cpu.engine import CpuLibrary
from dycl.kernels.cpu.known import Known, recall, remember
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.specs import KernelSpec
from dycl.runtime.targets import MATMUL_DTYPES, NATIVE
from dycl.support.store import default_store


@dataclass(frozen=True)
class CpuBackend:
    """Kernels by torch-mlir and LLVM, for the processor that this process runs on, or
    for another one: then the library's kernels may not be called here."""

    OPTIONAL_STEPS: ClassVar[tuple[str, ...]] = (
        "cpu-fuse-attention",
        "cpu-fuse-elementwise",
        "cpu-generate-nests",
        "cpu-propagate-blocks",
        "cpu-row-programs",
        "cpu-split-products",
        "cpu-winograd",
    )
    """Steps that may be left out: code is slower without them, and as right."""

    MATMUL_DTYPES: ClassVar[tuple[str, ...]] = MATMUL_DTYPES
    """From what products with weights may be computed."""

    opt_level: int = 2
    """LLVM's level. 3 takes longer and is slower on convolutions."""
    target: str = NATIVE
    """The processor, by its name in `dycl.runtime.targets`."""
    cache: bool = True
    """Whether to look for kernels, and leave them, in the cache on disk."""
    threads: int = 1
    """How many threads may share the work of a kernel, if a host starts them."""

    without: tuple[str, ...] = ()
    """Steps to leave out, of `OPTIONAL_STEPS`; other names say nothing."""

    narrow: bool = False
    """Whether weights that are read once for each use are kept as bf16."""

    matmul_dtype: str = "f32"
    """From what products with weights are computed: "f32" or "bf16"."""

    timeout: float = math.inf
    """Seconds that compiling one kernel may take; more is DY502."""

    @property
    def settings(self) -> Settings:
        """What decides a kernel's code besides its text."""
        without = tuple(sorted({*self.without} & {*self.OPTIONAL_STEPS}))
        return Settings(
            self.opt_level,
            self.target,
            self.threads,
            without,
            self.narrow,
            self.matmul_dtype,
        )

    def compile(
        self,
        module_text: str,
        specs: Sequence[KernelSpec] = (),
        progress: Progress | None = None,
    ) -> CpuLibrary:
        """Compile all kernels of a module; see `KernelBackend.compile`."""

        def done(count: int, total: int, name: str, cached: bool) -> None:
            if progress is not None:
                progress(count, total, name, cached)

        how = self.settings
        known = self._known(module_text, how)
        if known is None:
            known = self._built(module_text, how, done)
        else:
            for count, unit in enumerate(known.units, start=1):
                done(count, len(known.units), unit.name, True)
        if specs:
            _expect(specs, known.specs)

        def stages() -> dict[str, str]:
            from dycl.kernels.cpu.building import stage_texts

            return stage_texts(module_text, how)

        def jit() -> Callable[[str], int]:
            from dycl.kernels.cpu.building import in_this_process

            return in_this_process(module_text, how)

        return CpuLibrary(known.specs, known.units, known.codes, stages, jit)

    def _known(self, module_text: str, how: Settings) -> Known | None:
        if not self.cache:
            return None
        return recall(
            default_store("modules"), default_store("kernels"), module_text, str(how)
        )

    def _built(self, module_text: str, how: Settings, done: Progress) -> Known:
        from dycl.kernels.cpu.building import build

        store = default_store("kernels") if self.cache else None
        built = build(module_text, how, store, done, self.timeout)
        known = Known(built.specs, built.units, built.codes)
        if self.cache:
            remember(
                default_store("modules"), module_text, str(how), known, built.texts
            )
        return known

    def check_each(self, module_texts: Sequence[str]) -> list[CodedError | None]:
        """Lower all kernels of each module; see `KernelBackend.check_each`."""
        from dycl.kernels.cpu.building import check_each

        return check_each(module_texts, self.settings, self.timeout)


def _expect(wanted: Sequence[KernelSpec], found: Sequence[KernelSpec]) -> None:
    """Compare by signature: where the user wrote it plays no part in a call."""

    def signatures(specs: Sequence[KernelSpec]) -> dict[str, object]:
        return {spec.name: (spec.inputs, spec.outputs) for spec in specs}

    have = signatures(found)
    for name, signature in signatures(wanted).items():
        if (has := have.get(name)) != signature:
            raise ValueError(f"@{name} has the signature {has}, not {signature}")
