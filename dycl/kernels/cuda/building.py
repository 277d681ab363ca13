"""Kernels from their text to Triton functions, with MLIR, which works in a child."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from dycl.diag import CompileError
from dycl.kernels import DEATH, LATE
from dycl.kernels.cpu.check import check, kernel_name
from dycl.kernels.cpu.children import Children, Died
from dycl.kernels.cpu.errors import Problem, compile_error, parse_problem, problem_of
from dycl.kernels.cpu.lower import LoweringFailed
from dycl.kernels.cpu.mlir import MLIRError, functions, parse, text_of
from dycl.kernels.cuda.lower import to_linalg, to_tiles
from dycl.kernels.cuda.tile.program import Program
from dycl.kernels.specs import KernelSpec
from dycl.runtime.machine import processors
from dycl.schedules.cuda_products import dot_plan
from dycl.schedules.cuda_tuning import Planner

R = TypeVar("R")


@dataclass(frozen=True)
class Tiles:
    """The kernels of a module at the tile level."""

    specs: tuple[KernelSpec, ...]
    programs: tuple[Program, ...]
    stages: tuple[tuple[str, str], ...]
    """The text of the stages before."""


_Refusal = tuple[Problem, ...]


def tiles_of(module_text: str, limit: float, planner: Planner = dot_plan) -> Tiles:
    """All kernels of a module, in `limit` seconds; `planner`: cuts products. Raises
    CompileError (DY502)."""
    with Children(limit) as children:
        result = children.one(_tiles, module_text, planner)
    if isinstance(result, Tiles):
        return result
    raise _error(result)


def check_each(module_texts: Sequence[str], limit: float) -> list[CompileError | None]:
    """Why the kernels of each module have no templates; None: they have."""
    result: list[CompileError | None] = [None] * len(module_texts)
    with Children(limit) as children:
        jobs = [(text,) for text in module_texts]
        for number, one in children.each(_tiles, jobs, processors()):
            if not isinstance(one, Tiles):
                result[number] = _error(one)
    return result


def _error(refusal: _Refusal | Died) -> CompileError:
    if isinstance(refusal, Died):
        what = LATE if refusal.is_late else DEATH
        refusal = (Problem("?", f"{what} ({refusal.why})"),)
    return compile_error(refusal)


# What follows is done in children.


def _tiles(module_text: str, planner: Planner = dot_plan) -> Tiles | _Refusal:
    try:
        module = parse(module_text)
    except MLIRError as error:
        return (parse_problem(error, module_text),)
    specs, problems = check(module)
    if problems:
        return problems
    stages = [("torch", text_of(module))]
    try:
        borders = to_linalg(module)
    except LoweringFailed as failure:
        return _culprits(module_text) or (_problem(failure, "?", module),)
    stages.append(("linalg", text_of(module)))
    programs: list[Program] = []
    refused: list[Problem] = []
    for function in functions(module):
        name = kernel_name(function)
        try:
            programs.append(to_tiles(function, borders[name], planner))
        except LoweringFailed as failure:
            refused.append(_problem(failure, name, module))
    return tuple(refused) or Tiles(specs, tuple(programs), tuple(stages))


def _culprits(module_text: str) -> _Refusal:
    """The kernels that cannot be lowered, each alone: one fails the whole module."""
    problems: list[Problem] = []
    whole = parse(module_text)
    for name in [kernel_name(f) for f in functions(whole)]:
        alone = parse(module_text)
        for function in functions(alone):
            if kernel_name(function) != name:
                function.erase()
        try:
            to_linalg(alone)
        except LoweringFailed as failure:
            problems.append(_problem(failure, name, alone))
    return tuple(problems)


def _problem(failure: LoweringFailed, name: str, module: Any) -> Problem:
    return problem_of(failure.cause, name, failure.stage, module)
