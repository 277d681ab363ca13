"""Programs that were compiled before, as far as kernels and host apart.

The passes read nothing but the program at the level `source`, so its text, with the
locations in it, decides the text of the later ones; and so do our own sources, the
passes that are asked for, what the process has set in torch, and the classes and
functions of the user's that the program mentions by name, which some passes look up.
The digest of all that is the key. Where some of it has no text, there is no key.
"""

import hashlib
import json
import platform
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from dycl.analysis.tensors.memo import (
    calls_operators_of_users,
    is_foreign,
    settings_of_torch,
)
from dycl.support.store import Store, digest_of_sources

BOUND = 1 << 28
_NAME = re.compile(r'"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)"')
_VERSIONS = ("torch", "torch-mlir", "xdsl", "numpy")


@dataclass(frozen=True)
class Program:
    """A program whose kernels are known but not compiled."""

    stages: dict[str, str]
    """The text of each level after `source`, in order."""
    module: str
    """The last of them, with the user's locations."""


class Programs:
    """The programs in a store. Nothing here fails: what is damaged is not found."""

    def __init__(self, store: Store):
        self.store = store

    def get(self, key: str) -> Program | None:
        """The program; None: there is none."""
        return self.store.find(key, _program)

    def has(self, key: str) -> bool:
        """Whether there is a program."""
        return self.get(key) is not None

    def put(self, key: str, program: Program) -> None:
        """Keep a program."""
        text = json.dumps({"stages": program.stages, "module": program.module})
        self.store.put(key, zlib.compress(text.encode(), 1))
        self.store.trim()

    def get_known(self, key: str) -> "Known | None":
        """What a program needed that begins so; None: it is not known."""
        return self.store.find(_beginning(key), _known)

    def put_known(self, key: str, known: "Known") -> None:
        """Keep what a program needs."""
        text = json.dumps({"functions": known.functions, "changing": known.changing})
        self.store.put(_beginning(key), text.encode())


@dataclass(frozen=True)
class Known:
    """What importing a program has found out."""

    functions: list[str]
    """Those that it calls, in order."""
    changing: list[str]
    """The attributes that it sets to other values than they have."""


def _program(data: bytes) -> Program:
    program = Program(**json.loads(zlib.decompress(data)))
    texts: list[object] = [program.module, *program.stages.values()]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError
    return program


def _known(data: bytes) -> Known:
    known = Known(**json.loads(data))
    names: list[object] = [*known.functions, *known.changing]
    if not all(isinstance(name, str) for name in names):
        raise TypeError
    return known


def _beginning(key: str) -> str:
    return hashlib.sha256(f"what begins as {key}".encode()).hexdigest()


def key_of(source: str, passes: str) -> str | None:
    """The digest of all that decides what passes make of a source with its locations.

    None: part of that cannot be told.
    """
    if calls_operators_of_users(source):
        return None
    try:
        named = list(_named(source))
    except _NoText:
        return None
    parts = (versions(), *settings_of_torch(), *named, passes, source)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def versions() -> str:
    """The versions of all that compiles, and the digest of our own sources."""
    versions = [metadata.version(package) for package in _VERSIONS]
    return " ".join((platform.python_version(), *versions, digest_of_sources("")))


class _NoText(Exception):
    """A module that was typed in, or is not written in Python."""


def _named(source: str) -> Iterator[str]:
    """The user's modules that are mentioned; of classes, bases and attributes."""
    texts: dict[str, str] = {}
    for name in sorted(set(_NAME.findall(source))):
        module = _module_of(name)
        if module is None or is_foreign(module.__name__):
            continue
        if module.__name__ not in texts:
            yield texts.setdefault(module.__name__, _text_of(module))
        target: Any = module
        for part in name.removeprefix(module.__name__).split(".")[1:]:
            target = getattr(target, part, None)
        if isinstance(target, type):
            # What it inherits may have been written in a module that is not named; and
            # torch puts things into its own classes as its parts are imported.
            for base in target.__mro__:
                own = () if is_foreign(base.__module__) else sorted(vars(base))
                yield " ".join((name, base.__module__, base.__qualname__, *own))


def _module_of(name: str) -> ModuleType | None:
    """The imported module that a full name begins with."""
    while name:
        if (module := sys.modules.get(name)) is not None:
            return module
        name = name.rpartition(".")[0]
    return None


def _text_of(module: ModuleType) -> str:
    file = getattr(module, "__file__", None)
    if file is None or not file.endswith(".py"):
        raise _NoText
    try:
        return (
            f"{module.__name__} {hashlib.sha256(Path(file).read_bytes()).hexdigest()}"
        )
    except OSError:
        raise _NoText from None
