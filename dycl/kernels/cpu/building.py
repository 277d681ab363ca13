"""Kernels from their text to code, with MLIR; finding which of them are bad."""

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dycl.diag import (
    CompileError,
    InternalError,
    internal_error,
    see_again,
    write_reproducer,
)
from dycl.kernels.cpu.check import check, kernel_name
from dycl.kernels.cpu.code import Code, Unit
from dycl.kernels.cpu.errors import Problem, compile_error, parse_problem, problem_of
from dycl.kernels.cpu.lower import STAGES, LoweringFailed, lower
from dycl.kernels.cpu.many import compile_all
from dycl.kernels.cpu.mlir import MLIRError, functions, parse, text_of
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.cpu.unit import units
from dycl.kernels.specs import KernelSpec
from dycl.store import Store


@dataclass(frozen=True)
class Built:
    """The kernels of a module, in its order."""

    specs: tuple[KernelSpec, ...]
    units: tuple[Unit, ...]
    texts: tuple[str, ...]
    codes: tuple[Code, ...]


def build(
    module_text: str,
    how: Settings,
    store: Store | None,
    done: Callable[[int, int, str, bool], None],
) -> Built:
    """Compile all kernels of a module; see `KernelBackend.compile`."""
    module, specs = _checked(module_text)
    alone = units(module)
    names = [unit.name for unit, _ in alone]
    texts = tuple(text for _, text in alone)
    count = 0

    def tell(index: int, cached: bool) -> None:
        nonlocal count
        count += 1
        done(count, len(names), names[index], cached)

    try:
        codes = compile_all(texts, how, store, tell)
    except LoweringFailed as failure:
        raise _culprits(module_text, how, failure, keep=True) from failure
    except OSError:
        raise
    except Exception as bug:
        raise _crash(module_text, how, bug) from bug
    return Built(specs, tuple(unit for unit, _ in alone), texts, tuple(codes))


def check_all(module_text: str, how: Settings) -> None:
    """Lower all kernels of a module; see `KernelBackend.check`."""
    module, _ = _checked(module_text)
    try:
        lower(module, how)
    except LoweringFailed as failure:
        raise _culprits(module_text, how, failure) from failure


def stage_texts(module_text: str, how: Settings) -> dict[str, str]:
    """The text after each stage: `torch`, `linalg`, `memref`, `llvm`, in this order.

    Raises CompileError as `CpuBackend.compile` does.
    """
    module, _ = _checked(module_text)
    texts = {"torch": text_of(module)}
    try:
        lower(module, how, texts)
    except LoweringFailed as failure:
        raise _culprits(module_text, how, failure) from failure
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


@dataclass(frozen=True)
class _Failure:
    """A kernel that cannot be lowered, alone."""

    name: str
    text: str
    """A module with this kernel, before it is lowered."""
    module: Any
    """As far as it came."""
    error: Exception


def command_line(how: Settings) -> list[str]:
    """What lowers the kernels in `input.mlir` as `lower` does."""
    stages = [word for name, _ in STAGES for word in ("--stage", name)]
    return ["dycl-kernel-opt", "input.mlir", *how.flags(), *stages]


def _reproducer(error: Exception, text: str, how: Settings) -> Path:
    """Write a folder that shows the failure again."""
    return write_reproducer(error, text, shlex.join(command_line(how)))


def _failures(module_text: str, how: Settings) -> Iterator[_Failure]:
    """Lower each kernel alone: one bad kernel fails the module and hides the others."""
    for name in [kernel_name(func) for func in functions(parse(module_text))]:
        alone = parse(module_text)
        for func in functions(alone):
            if kernel_name(func) != name:
                func.erase()
        text = text_of(alone)
        try:
            lower(alone, how)
        except Exception as error:
            yield _Failure(name, text, alone, error)


def _culprits(
    module_text: str, how: Settings, failure: LoweringFailed, *, keep: bool = False
) -> CompileError:
    """The kernels that cannot be built; `keep`: with a reproducer for a bug of ours."""
    problems: list[Problem] = []
    hint = ""
    for one in _failures(module_text, how):
        if isinstance(one.error, LoweringFailed):
            cause, stage = one.error.cause, one.error.stage
            problems.append(problem_of(cause, one.name, stage, one.module))
            if keep and not hint and problems[-1].is_bug:
                hint = see_again(_reproducer(one.error, one.text, how))
    if not problems:
        # Each is sound alone, so the module as a whole is at fault.
        whole = parse(module_text)
        problems = [problem_of(failure.cause, "?", failure.stage, whole)]
    return compile_error(problems, hint)


def _crash(module_text: str, how: Settings, bug: Exception) -> InternalError:
    """A bug of ours: the error to raise, with a reproducer."""
    for one in _failures(module_text, how):
        if not isinstance(one.error, LoweringFailed):
            return internal_error(bug, _reproducer(one.error, one.text, how))
    return internal_error(bug, _reproducer(bug, module_text, how))
