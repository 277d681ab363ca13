"""Modules of kernels that were compiled before: what is in them, where their code is.

By a module's text, with the user's places, its kernels' signatures, their places and
the keys of their code in the store of kernels: enough for a library, without MLIR.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dycl.diag import SourceLoc
from dycl.kernels.cpu.code import Code, Unit, from_bytes
from dycl.kernels.cpu.keys import key_of
from dycl.kernels.specs import KernelSpec, ScalarSpec, TensorSpec
from dycl.support.plain_data import Format
from dycl.support.store import Store, digest_of_sources


@dataclass(frozen=True)
class Known:
    """The kernels of a module, in its order."""

    specs: tuple[KernelSpec, ...]
    units: tuple[Unit, ...]
    codes: tuple[Code, ...]


@dataclass(frozen=True)
class _Entry:
    """What is stored of a module."""

    specs: tuple[KernelSpec, ...]
    units: tuple[Unit, ...]
    keys: tuple[str, ...]
    """Of the codes, in the store of kernels."""


_FORMAT = Format(_Entry, KernelSpec, TensorSpec, ScalarSpec, Unit, SourceLoc)


def recall(modules: Store, kernels: Store, text: str, how: str) -> Known | None:
    """The kernels of a module with this text; None: not all of them are known."""
    entry: _Entry | None = modules.find(_key(text, how), _FORMAT.from_bytes)
    if not isinstance(entry, _Entry):
        return None
    codes: dict[str, Code] = {}
    for key in dict.fromkeys(entry.keys):
        if (code := kernels.find(key, from_bytes)) is None:
            return None
        codes[key] = code
    return Known(entry.specs, entry.units, tuple(codes[key] for key in entry.keys))


def remember(
    modules: Store, text: str, how: str, known: Known, texts: Sequence[str]
) -> None:
    """Keep what is in a module; `texts` are those of its kernels alone."""
    keys = tuple(key_of(one, how) for one in texts)
    entry = _Entry(known.specs, known.units, keys)
    modules.put(_key(text, how), _FORMAT.to_bytes(entry))
    modules.trim()


def _key(text: str, how: str) -> str:
    # Kernels do not depend on the class of places, or on how entries are written.
    digest = digest_of_sources("diag", "support/plain_data.py")
    return key_of(text, f"module {how} {digest}")
