"""The CPU backend: check kernels, compile each on its own; find what is bad."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dycl.diag import CompileError
from dycl.kernels import OPTIONAL_STEPS, Progress
from dycl.kernels.cpu.check import check, kernel_name
from dycl.kernels.cpu.engine import CpuLibrary
from dycl.kernels.cpu.errors import Problem, compile_error, parse_problem, problem_of
from dycl.kernels.cpu.lower import LoweringFailed, lower
from dycl.kernels.cpu.many import compile_all
from dycl.kernels.cpu.mlir import MLIRError, functions, parse, text_of
from dycl.kernels.cpu.store import default_store
from dycl.kernels.cpu.unit import Settings, units
from dycl.kernels.specs import KernelSpec
from dycl.runtime.targets import NATIVE


@dataclass(frozen=True)
class CpuBackend:
    """Kernels by torch-mlir and LLVM, for the processor that this process runs on, or
    for another one: then the library's kernels may not be called here."""

    opt_level: int = 2
    """LLVM's level. 3 takes longer and is slower on convolutions."""
    target: str = NATIVE
    """The processor, by its name in `dycl.runtime.targets`."""
    cache: bool = True
    """Whether to look for kernels, and leave them, in the cache on disk."""
    threads: int = 1
    """How many threads may share the work of a kernel, if a host starts them."""

    without: tuple[str, ...] = ()
    """Steps to leave out, of `dycl.kernels.OPTIONAL_STEPS`; other names say nothing."""

    @property
    def _without(self) -> tuple[str, ...]:
        return tuple(sorted({*self.without} & {*OPTIONAL_STEPS}))

    def compile(
        self,
        module_text: str,
        specs: Sequence[KernelSpec] = (),
        progress: Progress | None = None,
    ) -> CpuLibrary:
        """Compile all kernels of a module; see `KernelBackend.compile`."""
        module, found = _checked(module_text)
        if specs:
            _expect(specs, found)
        alone = units(module)
        count = 0

        def done(index: int, cached: bool) -> None:
            nonlocal count
            count += 1
            if progress is not None:
                progress(count, len(alone), alone[index].name, cached)

        store = default_store() if self.cache else None
        texts = [unit.text for unit in alone]
        try:
            how = Settings(self.opt_level, self.target, self.threads, self._without)
            codes = compile_all(texts, how, store, done)
        except LoweringFailed as failure:
            raise _culprits(module_text, failure) from failure
        stages = partial(
            stage_texts, module_text, self.target, self.threads, self._without
        )
        return CpuLibrary(found, alone, codes, stages)

    def check(self, module_text: str) -> None:
        """Lower all kernels of a module; see `KernelBackend.check`."""
        module, _ = _checked(module_text)
        try:
            lower(module)
        except LoweringFailed as failure:
            raise _culprits(module_text, failure) from failure


def stage_texts(
    module_text: str,
    target: str = NATIVE,
    threads: int = 1,
    without: tuple[str, ...] = (),
) -> dict[str, str]:
    """The text after each stage: `torch`, `linalg`, `memref`, `llvm`, in this order.

    Raises CompileError as `CpuBackend.compile` does.
    """
    module, _ = _checked(module_text)
    texts = {"torch": text_of(module)}
    try:
        lower(module, keep=texts, target=target, threads=threads, without=without)
    except LoweringFailed as failure:
        raise _culprits(module_text, failure) from failure
    return texts


def _checked(module_text: str) -> tuple[Any, tuple[KernelSpec, ...]]:
    try:
        module = parse(module_text)
    except MLIRError as error:
        raise compile_error([parse_problem(error, module_text)]) from error
    specs, problems = check(module)
    if problems:
        raise compile_error(problems)
    return module, specs


def _expect(wanted: Sequence[KernelSpec], found: Sequence[KernelSpec]) -> None:
    """Compare by signature: where the user wrote it plays no part in a call."""

    def signatures(specs: Sequence[KernelSpec]) -> dict[str, object]:
        return {spec.name: (spec.inputs, spec.outputs) for spec in specs}

    have = signatures(found)
    for name, signature in signatures(wanted).items():
        if (has := have.get(name)) != signature:
            raise ValueError(f"@{name} has the signature {has}, not {signature}")


def _culprits(module_text: str, failure: LoweringFailed) -> CompileError:
    """Lower each kernel alone: one bad kernel fails the module and hides the others."""
    problems: list[Problem] = []
    for name in [kernel_name(func) for func in functions(parse(module_text))]:
        alone = parse(module_text)
        for func in functions(alone):
            if kernel_name(func) != name:
                func.erase()
        try:
            lower(alone)
        except LoweringFailed as error:
            problems.append(problem_of(error.cause, name, error.stage, alone))
    if not problems:
        # Each is sound alone, so the module as a whole is at fault.
        whole = parse(module_text)
        problems = [problem_of(failure.cause, "?", failure.stage, whole)]
    return compile_error(problems)
