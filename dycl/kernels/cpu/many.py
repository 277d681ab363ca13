"""Compiling many kernels: those in the cache are read, the others share the cores.

MLIR holds Python's lock while it works, so it takes processes: one, which may die, and
more only when there is work enough for two.
"""

import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dycl.kernels.cpu.children import Children, Died, in_child
from dycl.kernels.cpu.code import Code, from_bytes, to_bytes
from dycl.kernels.cpu.keys import key_of
from dycl.kernels.cpu.lower import LoweringFailed
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.cpu.unit import compile_unit
from dycl.runtime.machine import processors
from dycl.support.store import Store

_WORTH_A_PROCESS = 6_000
"""Characters of kernels' text that take longer to compile than a process to start."""

Compiler = Callable[..., Code]
Done = Callable[[int, bool], None]
"""Is told of each text when it is done, and whether it was in the cache."""


def compile_all(
    texts: Sequence[str],
    how: Settings,
    store: Store | None,
    done: Done,
    children: Children,
) -> list[Code | Died | None]:
    """The code of each text, in their order; how compiling it died; None: it failed."""
    # Equal texts are one: looked for once, compiled once, and all done with it.
    places: dict[str, list[int]] = {}
    for index, text in enumerate(texts):
        places.setdefault(key_of(text, str(how)), []).append(index)
    codes: dict[int, Code | Died | None] = {}

    def found(key: str, code: Code | Died | None, cached: bool) -> None:
        for index in places[key]:
            codes[index] = code
            done(index, cached)

    missing: dict[int, str] = {}
    for key, indices in places.items():
        if store is not None and (code := store.find(key, from_bytes)) is not None:
            found(key, code, True)
        else:
            missing[indices[0]] = key
    jobs = [(i, texts[i]) for i in missing]
    with _for_parts(store, jobs) as parts:
        for index, code in _compile(jobs, how, children, parts):
            if store is not None and isinstance(code, Code):
                store.put(missing[index], to_bytes(code))
            found(missing[index], code, False)
    if store is not None and missing:
        store.trim()
    return [codes[index] for index in range(len(texts))]


@contextmanager
def _for_parts(
    store: Store | None, jobs: Sequence[tuple[int, str]]
) -> Generator[Store | None]:
    """Where those who do the jobs share what kernels have in common: the cache, or a
    folder for this once; None: one job shares with nobody."""
    if store is not None or len(jobs) < 2:
        yield store
    else:
        with tempfile.TemporaryDirectory(prefix="dycl-parts-") as folder:
            yield Store(Path(folder))


def _compile(
    jobs: Sequence[tuple[int, str]],
    how: Settings,
    children: Children,
    parts: Store | None,
) -> Iterator[tuple[int, Code | Died | None]]:
    """In no particular order: number and code of each; None: it fails."""
    largest_first = sorted(jobs, key=lambda job: -len(job[1]))
    workers = min(len(jobs), processors(), 1 + _work(jobs) // _WORTH_A_PROCESS)
    given = [(compile_unit, text, how, False, parts) for _, text in largest_first]
    for number, code in children.each(_code, given, workers):
        index, text = largest_first[number]
        is_late = isinstance(code, Died) and code.is_late
        if not isinstance(code, Code) and not is_late:
            # A step of ours that errs is found where it errs.
            limit = children.limit
            code = in_child(_code, compile_unit, text, how, True, parts, limit=limit)
        yield index, code


def _code(
    compiler: Compiler,
    text: str,
    how: Settings,
    verify_each: bool,
    parts: Store | None,
) -> Code | None:
    """None: it fails. MLIR's errors cannot leave their process."""
    try:
        return compiler(text, how=how, verify_each=verify_each, parts=parts)
    except LoweringFailed:
        return None


def _work(jobs: Sequence[tuple[int, str]]) -> int:
    """Characters besides those of the largest, which somebody has to do."""
    sizes = [len(text) for _, text in jobs]
    return sum(sizes) - max(sizes, default=0)
