"""Kernels from their text to code, with MLIR; finding which of them are bad.

All that MLIR does with a user's kernels, it does in children (`children`): here they
are text and plain data, but for `in_this_process`.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from dycl.diag import (
    CodedError,
    CompileError,
    InternalError,
    SourceLoc,
    internal_error,
    see_again,
    write_reproducer,
)
from dycl.kernels import DEATH, LATE
from dycl.kernels.cpu.check import check, kernel_name
from dycl.kernels.cpu.children import Children, Died
from dycl.kernels.cpu.code import Code, Unit, symbol_of
from dycl.kernels.cpu.errors import Problem, compile_error, parse_problem, problem_of
from dycl.kernels.cpu.lower import STAGES, LoweringFailed, lower
from dycl.kernels.cpu.many import compile_all
from dycl.kernels.cpu.mlir import MLIRError, functions, parse, text_of
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.cpu.unit import jit_unit, set_up, units
from dycl.kernels.specs import KernelSpec, preparation_name
from dycl.runtime.machine import processors
from dycl.support.store import Store

R = TypeVar("R")


@dataclass(frozen=True)
class Built:
    """The kernels of a module, in its order."""

    specs: tuple[KernelSpec, ...]
    units: tuple[Unit, ...]
    texts: tuple[str, ...]
    codes: tuple[Code, ...]


@dataclass(frozen=True)
class _Refusal:
    """What stands in the way of a module, as it comes from a child."""

    problems: tuple[Problem, ...]
    hint: str = ""


def build(
    module_text: str,
    how: Settings,
    store: Store | None,
    done: Callable[[int, int, str, bool], None],
    limit: float,
) -> Built:
    """Compile all kernels of a module, in `limit` seconds each; see
    `KernelBackend.compile`."""
    set_up()
    with Children(limit) as children:
        specs, alone = _unwrapped(children.one(_units, module_text))
        names = [unit.name for unit, _ in alone]
        texts = tuple(text for _, text in alone)
        count = 0

        def tell(index: int, cached: bool) -> None:
            nonlocal count
            count += 1
            done(count, len(names), names[index], cached)

        try:
            codes = compile_all(texts, how, store, tell, children)
        except OSError:
            raise
        except Exception as bug:
            raise _crash(module_text, how, bug, children) from bug
        good = [code for code in codes if isinstance(code, Code)]
        if len(good) < len(codes):
            by_unit = dict(zip((unit for unit, _ in alone), codes, strict=True))
            raise _bad(module_text, how, by_unit, specs, children)
    return Built(specs, tuple(unit for unit, _ in alone), texts, tuple(good))


def check_each(
    module_texts: Sequence[str], how: Settings, limit: float
) -> list[CodedError | None]:
    """Lower all kernels of each module, in `limit` seconds for each; see
    `KernelBackend.check_each`."""
    result: list[CodedError | None] = [None] * len(module_texts)
    set_up()
    with Children(limit) as children:
        jobs = [(text, how) for text in module_texts]
        for index, refusal in children.each(_refusal, jobs, processors()):
            if refusal is not None:
                result[index] = _error(refusal)
    return result


def in_this_process(module_text: str, how: Settings) -> Callable[[str], int]:
    """Compile all kernels with LLVM's JIT: what tells where the entry of a symbol is.

    It takes neither a linker nor the cache. Only for kernels that a child has compiled,
    or the cache has: what compiles there does not end this process here.
    """
    with Children() as children:
        _, alone = _unwrapped(children.one(_units, module_text))
    engines: dict[str, Any] = {}
    for text in dict.fromkeys(text for _, text in alone):
        symbol = symbol_of(text, str(how))
        engine, _ = jit_unit(text, how, symbol)
        engines[symbol] = engines[preparation_name(symbol)] = engine

    def entry(symbol: str) -> int:
        # A lookup by the name of a function gives its entry.
        return engines[symbol].raw_lookup(symbol)

    return entry


def stage_texts(module_text: str, how: Settings) -> dict[str, str]:
    """The text after each stage: `torch`, `linalg`, `memref`, `llvm`, in this order.

    Raises CompileError as `CpuBackend.compile` does.
    """
    set_up()
    with Children() as children:
        return _unwrapped(children.one(_stages, module_text, how))


def _unwrapped(result: R | _Refusal | Died) -> R:
    """What a child made; CompileError."""
    if isinstance(result, (_Refusal, Died)):
        raise _error(result)
    return result


def _error(refusal: _Refusal | Died) -> CompileError:
    if isinstance(refusal, Died):
        hint = _MORE_TIME if refusal.is_late else ""
        refusal = _Refusal((_death(refusal, "?", None),), hint)
    return compile_error(refusal.problems, refusal.hint)


def _death(died: Died, kernel: str, place: SourceLoc | None) -> Problem:
    what = LATE if died.is_late else DEATH
    return Problem(kernel, f"{what} ({died.why})", place)


def _late(died: Died, unit: Unit, place: SourceLoc | None) -> Problem:
    """The problem of a kernel that takes too long, with all lines that it is of."""
    lines = {(p.file, p.line) for p in unit.places if p is not None}
    files = sorted({file for file, _ in lines})
    spans = [sorted(line for f, line in lines if f == file) for file in files]
    spans_text = [f"{f}:{n[0]}-{n[-1]}" for f, n in zip(files, spans, strict=True)]
    problem = _death(died, unit.name, place)
    size = f"{len(unit.places) - 1} ops"
    where = f", of {', '.join(spans_text)}" if spans_text else ""
    return replace(problem, what=f"{problem.what}; it has {size}{where}")


_MORE_TIME = (
    "kernel_timeout=SECONDS, or --kernel-timeout, gives each kernel more time; "
    "inf means no limit"
)


def _bad(
    module_text: str,
    how: Settings,
    codes: dict[Unit, Code | Died | None],
    specs: Sequence[KernelSpec],
    children: Children,
) -> CompileError:
    """The error for kernels of which some have no code."""
    places = {spec.name: spec.location for spec in specs}
    problems: list[Problem] = []
    hint = ""
    for unit, code in codes.items():
        if isinstance(code, Code):
            continue
        name = unit.name
        result = code or children.one(_culprits, module_text, how, name)
        if isinstance(result, Died) and result.is_late:
            problems.append(_late(result, unit, places[name]))
            hint = hint or _MORE_TIME
        elif isinstance(result, Died):
            problems.append(_death(result, name, places[name]))
        else:
            problems += result.problems
            hint = hint or result.hint
    return compile_error(problems, hint)


def _crash(
    module_text: str, how: Settings, bug: Exception, children: Children
) -> InternalError:
    """A bug of ours: the error to raise, with a reproducer."""
    result = children.one(_reproduced, module_text, how)
    if isinstance(result, InternalError):
        return result
    return internal_error(bug, _reproducer(bug, module_text, how))


def command_line(how: Settings) -> list[str]:
    """What lowers the kernels in `input.mlir` as `lower` does."""
    stages = [word for name, _ in STAGES for word in ("--stage", name)]
    return ["dycl-kernel-opt", "input.mlir", *how.flags(), *stages]


def _reproducer(error: Exception, text: str, how: Settings) -> Path:
    """Write a folder that shows the failure again."""
    return write_reproducer(error, text, shlex.join(command_line(how)))


# What follows is done in children.


def _units(module_text: str) -> "_Units | _Refusal":
    """The signatures of a module's kernels, and each kernel alone."""
    checked = _checked(module_text)
    if isinstance(checked, _Refusal):
        return checked
    module, specs = checked
    return specs, units(module)


_Units = tuple[tuple[KernelSpec, ...], tuple[tuple[Unit, str], ...]]


def _refusal(module_text: str, how: Settings) -> _Refusal | None:
    """Why a module cannot be lowered; None: it can."""
    return result if isinstance(result := _stages(module_text, how), _Refusal) else None


def _stages(module_text: str, how: Settings) -> dict[str, str] | _Refusal:
    """The text after each stage."""
    checked = _checked(module_text)
    if isinstance(checked, _Refusal):
        return checked
    module, _ = checked
    texts = {"torch": text_of(module)}
    try:
        lower(module, how, texts)
    except LoweringFailed as failure:
        refusal = _culprits(module_text, how, keep=False)
        if refusal.problems:
            return refusal
        # Each is sound alone, so the module as a whole is at fault.
        whole = parse(module_text)
        return _Refusal((problem_of(failure.cause, "?", failure.stage, whole),))
    return texts


def _checked(module_text: str) -> tuple[Any, tuple[KernelSpec, ...]] | _Refusal:
    try:
        module = parse(module_text)
    except MLIRError as error:
        return _Refusal((parse_problem(error, module_text),))
    specs, problems = check(module)
    return _Refusal(problems) if problems else (module, specs)


@dataclass(frozen=True)
class _Failure:
    """A kernel that cannot be lowered, alone."""

    name: str
    text: str
    """A module with this kernel, before it is lowered."""
    module: Any
    """As far as it came."""
    error: Exception


def _failures(
    module_text: str, how: Settings, only: str | None = None
) -> Iterator[_Failure]:
    """Lower each kernel alone: one bad kernel fails the module and hides the others."""
    whole = parse(module_text)
    for name in [kernel_name(func) for func in functions(whole)]:
        if only not in (None, name):
            continue
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
    module_text: str, how: Settings, only: str | None = None, *, keep: bool = True
) -> _Refusal:
    """The kernels that cannot be built; `keep`: with a reproducer for a bug of ours."""
    problems: list[Problem] = []
    hint = ""
    for failure in _failures(module_text, how, only):
        if isinstance(failure.error, LoweringFailed):
            cause, stage = failure.error.cause, failure.error.stage
            problems.append(problem_of(cause, failure.name, stage, failure.module))
            if keep and not hint and problems[-1].is_bug:
                hint = see_again(_reproducer(failure.error, failure.text, how))
    return _Refusal(tuple(problems), hint)


def _reproduced(module_text: str, how: Settings) -> InternalError | None:
    """The error for the kernel that shows a bug of ours; None: alone, none does."""
    for failure in _failures(module_text, how):
        if not isinstance(failure.error, LoweringFailed):
            return internal_error(
                failure.error, _reproducer(failure.error, failure.text, how)
            )
    return None
