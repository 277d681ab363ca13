"""Modules of kernels that were compiled before: what is in them, where their code is.

By a module's text, with the user's places, its kernels' signatures, their places and
the keys of their code in the store of kernels: enough for a library, without MLIR.
"""

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from dycl.kernels.cpu.code import Code, Unit, from_bytes
from dycl.kernels.cpu.keys import key_of
from dycl.kernels.specs import KernelSpec
from dycl.support.store import Store, digest_of_sources


@dataclass(frozen=True)
class Known:
    """The kernels of a module, in its order."""

    specs: tuple[KernelSpec, ...]
    units: tuple[Unit, ...]
    codes: tuple[Code, ...]


_Entry = tuple[tuple[KernelSpec, ...], tuple[Unit, ...], tuple[str, ...]]


def recall(modules: Store, kernels: Store, text: str, how: str) -> Known | None:
    """The kernels of a module with this text; None: not all of them are known."""
    if (data := modules.get(_key(text, how))) is None:
        return None
    specs, units, keys = cast(_Entry, pickle.loads(data))
    codes: dict[str, Code] = {}
    for key in dict.fromkeys(keys):
        if (code := kernels.get(key)) is None:
            return None
        codes[key] = from_bytes(code)
    return Known(specs, units, tuple(codes[key] for key in keys))


def remember(
    modules: Store, text: str, how: str, known: Known, texts: Sequence[str]
) -> None:
    """Keep what is in a module; `texts` are those of its kernels alone."""
    keys = tuple(key_of(one, how) for one in texts)
    entry: _Entry = (known.specs, known.units, keys)
    modules.put(_key(text, how), pickle.dumps(entry, protocol=5))
    modules.trim()


def _key(text: str, how: str) -> str:
    # Places are of a class that kernels do not depend on.
    return key_of(text, f"module {how} {digest_of_sources('diag')}")
