"""What kernels have in common, each compiled once: parts of preparations, and nests."""

from collections.abc import Callable
from typing import Any

from dycl.kernels.cpu.code import part_symbol
from dycl.kernels.cpu.jit import in_jit, object_of
from dycl.kernels.cpu.keys import key_of
from dycl.kernels.cpu.lower import STAGES, Lowered, note, run_stage
from dycl.kernels.cpu.objects.optimise_for_size import optimise_for_size
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.cpu.weights.part_preparations import elements_of_parts
from dycl.support.store import Store

_known: dict[str, bytes] = {}
"""By symbol, what this process has compiled: a child, which ends with its network."""
_FEW = 1 << 18
"""Elements of a buffer and its weights that are prepared in less time than LLVM saves
where it optimises for size."""


def objects_of(
    lowered: Lowered, how: Settings, verify_each: bool, store: Store | None
) -> tuple[tuple[str, bytes], ...]:
    """Symbols and objects of all that a kernel has in common with others.

    `store`: where other processes leave what they have compiled. Raises LoweringFailed.
    """
    for digest, part in lowered.parts.items():
        name = part_symbol(digest, str(how))
        _compile(name, part, lower_part, how, verify_each, store)
    for name, nest in lowered.nests.items():
        _compile(name, nest, lower_nest, how, verify_each, store)
    parts = [part_symbol(digest, str(how)) for digest in lowered.parts]
    return tuple((name, _known[name]) for name in sorted([*parts, *lowered.nests]))


def lower_part(module: Any, how: Settings, verify_each: bool = True) -> None:
    """Lower one of `Lowered.parts` to the LLVM dialect. Raises LoweringFailed."""
    is_small = elements_of_parts(module) < _FEW
    note(module, how)
    for stage, _ in STAGES[1:]:
        run_stage(module, stage, how, verify_each)
    if is_small:
        with module.context:
            optimise_for_size(module)


def lower_nest(module: Any, how: Settings, verify_each: bool = True) -> None:
    """Lower one of `Lowered.nests` to the LLVM dialect. Raises LoweringFailed."""
    note(module, how)
    run_stage(module, "llvm", how, verify_each)


def _compile(
    name: str,
    module: Any,
    lowers: Callable[[Any, Settings, bool], None],
    how: Settings,
    verify_each: bool,
    store: Store | None,
) -> None:
    """Make a part known: from the store, or a new one."""
    if name in _known:
        return
    key = key_of(f"part {name}", str(how))
    if store is not None and (found := store.get(key)) is not None:
        _known[name] = found
        return
    lowers(module, how, verify_each)
    _known[name] = object_of(in_jit(module, how, name))
    if store is not None:
        store.put(key, _known[name])
