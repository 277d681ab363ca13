"""Compiling many kernels: those in the cache are read, the others share the cores.

MLIR holds Python's lock while it works, so it takes processes. They are forked from
this one, which has everything loaded, and only when there is work enough for two.
"""

import contextlib
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from dycl.kernels.cpu.code import Code, from_bytes, to_bytes
from dycl.kernels.cpu.keys import key_of
from dycl.kernels.cpu.lower import LoweringFailed
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.cpu.unit import compile_unit
from dycl.runtime.machine import processors
from dycl.store import Store

_WORTH_A_PROCESS = 6_000
"""Characters of kernels' text that take longer to compile than a process to start."""

Compiler = Callable[[str], Code]
Done = Callable[[int, bool], None]
"""Is told of each text when it is done, and whether it was in the cache."""


def compile_all(
    texts: Sequence[str],
    how: Settings,
    store: Store | None,
    done: Done,
) -> list[Code]:
    """The code of each text, in their order. Raises LoweringFailed."""
    # Equal texts are one: looked for once, compiled once, and all done with it.
    places: dict[str, list[int]] = {}
    for index, text in enumerate(texts):
        places.setdefault(key_of(text, str(how)), []).append(index)
    codes: dict[int, Code] = {}

    def found(key: str, code: Code, cached: bool) -> None:
        for index in places[key]:
            codes[index] = code
            done(index, cached)

    missing: dict[int, str] = {}
    for key, indices in places.items():
        if store is not None and (data := store.get(key)) is not None:
            found(key, from_bytes(data), True)
        else:
            missing[indices[0]] = key
    for index, code in _compile([(i, texts[i]) for i in missing], how):
        if store is not None:
            store.put(missing[index], to_bytes(code))
        found(missing[index], code, False)
    if store is not None and missing:
        store.trim()
    return [codes[index] for index in range(len(texts))]


def _compile(
    jobs: Sequence[tuple[int, str]], how: Settings
) -> Iterator[tuple[int, Code]]:
    """In no particular order: number and code of each."""
    largest_first = sorted(jobs, key=lambda job: -len(job[1]))
    workers = min(len(jobs), processors(), 1 + _work(jobs) // _WORTH_A_PROCESS)
    left = dict(largest_first)
    if workers > 1 and not multiprocessing.current_process().daemon:
        # Who of these dies for a step of ours that erred is no loss.
        quickly = partial(compile_unit, how=how, verify_each=False)
        with contextlib.suppress(BrokenProcessPool, OSError):
            for index, code in _in_processes(largest_first, quickly, workers):
                del left[index]
                yield index, code
    # What no process could compile fails here again, where it can be seen.
    for index, text in left.items():
        yield index, compile_unit(text, how=how)


def _in_processes(
    jobs: Sequence[tuple[int, str]], compiler: Compiler, workers: int
) -> Iterator[tuple[int, Code]]:
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        running = {pool.submit(_try, compiler, text): index for index, text in jobs}
        try:
            for future in as_completed(running):
                if (code := future.result()) is not None:
                    yield running[future], code
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _try(compiler: Compiler, text: str) -> Code | None:
    """None: it fails. MLIR's errors cannot leave their process."""
    try:
        return compiler(text)
    except LoweringFailed:
        return None


def _work(jobs: Sequence[tuple[int, str]]) -> int:
    """Characters besides those of the largest, which somebody has to do."""
    sizes = [len(text) for _, text in jobs]
    return sum(sizes) - max(sizes, default=0)
