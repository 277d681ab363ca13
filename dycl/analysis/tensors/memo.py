"""What torch said of ops, remembered: in this process, and from one to the next.

To ask torch what an op does, compilers have to be imported (seconds) and fake tensors
made. The answer depends on the op and its operands, on what the process has set in
torch, and on the versions of torch and of our own sources: so after an edit of a model
most of its ops are known. A question about what the user wrote or named, whose text can
change, is asked anew in each process; so is one whose answer came from an error that
may not come again, or has no form on disk (`dycl.support.plain_data`: reading it runs
nothing).
"""

import hashlib
import os
import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

from dycl.lowerings import what_is_known
from dycl.support.plain_data import DamagedData, Format, NotPlainData
from dycl.support.store import Store

T = TypeVar("T")

BOUND = 1 << 28
"""Bytes of answers on disk: a network of its own kind has some hundred of 4 KB."""
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_OPERATOR = re.compile(r"torch\.ops\.(\w+)\.")
_OF_TORCH = ("aten", "prims", "higher_order")
_ROOTS = ("torch", "dycl", "numpy", "Signedness")
"""How names begin whose meaning has a version; the last one is in types of integers."""


class RememberedWrongly(AssertionError):
    """What is remembered is not what is true: whatever is compiled, that is a bug."""


@dataclass(frozen=True)
class Disk:
    """Where answers are kept from one process to the next."""

    store: Store
    versions: str
    """Of all that decides an answer besides the question and the process."""
    compare: bool = False
    """Ask nevertheless, and raise RememberedWrongly if the answer is another one."""


_disk: ContextVar[Disk | None] = ContextVar("dycl_answers", default=None)
"""Where the compilation under way keeps answers: set by the driver alone, `kept_in`. It
decides what an answer costs, and not what it is."""


class Memo(Generic[T]):
    """The answers to one kind of question, by keys that say all but the settings."""

    def __init__(self, kind: str, limit: int, form: Format):
        """`limit`: answers kept in memory; `form`: how they are written to disk."""
        self.kind = kind
        self.limit = limit
        self.form = form
        self.known: dict[object, T] = {}
        self.settings: tuple[str, ...] = ()
        _kinds.append(self)

    def get(self, key: object, ask: Callable[[], T], is_quick: bool = False) -> T:
        """The answer that is known, or what `ask` says; its errors are passed on.

        `is_quick`: asking takes less than looking on the disk.
        """
        if (result := self.known.get(key)) is None:
            if len(self.known) >= self.limit:
                self.known.clear()
            result = ask() if is_quick else self._from_disk(key, ask)
            self.known[key] = result
        return result

    def _from_disk(self, key: object, ask: Callable[[], T]) -> T:
        text = repr(key)
        if (disk := _disk.get()) is None or not is_settled(text):
            return ask()
        parts = (self.kind, disk.versions, *self.settings, text)
        name = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        stored = self._stored(disk.store.get(name))
        if stored and not disk.compare:
            return stored[0]
        before = len(_passing)
        result = ask()
        if stored and _differ(stored[0], result):
            what = f"the {self.kind} of {text} was remembered wrongly"
            raise RememberedWrongly(what)
        if not stored and len(_passing) == before:
            with suppress(NotPlainData):
                disk.store.put(name, self.form.to_bytes(result))
        return result

    def _stored(self, data: bytes | None) -> tuple[T] | None:
        """The answer in a file; None: there is no such file, or it is no answer."""
        if data is None:
            return None
        try:
            return (self.form.from_bytes(data),)
        except DamagedData:
            return None


def _differ(one: object, other: object) -> bool:
    """Sets that are equal may be written in another order; a NaN equals nothing."""
    return one != other and repr(one) != repr(other)


_kinds: list[Memo[Any]] = []
_passing: list[str] = []
_MAY_PASS = (MemoryError, RecursionError, OSError, ImportError)


def note_failure(error: Exception) -> None:
    """What is asked just now has an answer of this process only, if the error may pass.

    To be told of each error that becomes an answer.
    """
    if isinstance(error, _MAY_PASS):
        _passing.append(type(error).__name__)


def note_settings() -> None:
    """From here on, answers are those under what is set in torch now."""
    settings = settings_of_torch()
    for answers in _kinds:
        if answers.settings != settings:
            answers.settings = settings
            answers.known.clear()


@contextmanager
def kept_in(disk: Disk | None) -> Generator[None]:
    """Look for answers there, too, and leave them there."""
    token = _disk.set(disk)
    try:
        yield
    finally:
        _disk.reset(token)
        if disk is not None:
            disk.store.trim()


def is_settled(text: str) -> bool:
    """Whether versions say what all full names in a text mean: none is the user's."""
    if calls_operators_of_users(text):
        return False
    return all(is_foreign(name) for name in _NAME.findall(text))


def calls_operators_of_users(text: str) -> bool:
    """Whether a text names operators that the user registers: these can change."""
    return any(name not in _OF_TORCH for name in _OPERATOR.findall(text))


@cache
def is_foreign(name: str) -> bool:
    """Whether the version of Python, of torch or our own says what a name means."""
    root = name.partition(".")[0]
    return root in _ROOTS or root in sys.stdlib_module_names


def settings_of_torch() -> tuple[str, ...]:
    """What a process may set that changes what an operator gives or is made of.

    Nothing is set where torch is not imported; what users registered may be known.
    """
    if "torch" not in sys.modules:
        return (what_is_known(),)
    import torch

    setting: Any = torch
    return (
        what_is_known(),
        _hooks_of_all_modules(setting.nn.modules.module),
        str(setting.get_default_dtype()),
        str(setting.get_default_device()),
        str(setting.is_autocast_enabled("cpu")),
        str(setting.are_deterministic_algorithms_enabled()),
        str(setting.backends.mha.get_fastpath_enabled()),
        str(setting.backends.cuda.flash_sdp_enabled()),
        str(setting.backends.cuda.mem_efficient_sdp_enabled()),
        str(setting.backends.cuda.math_sdp_enabled()),
    )


def _hooks_of_all_modules(torchs: Any) -> str:
    """The hooks that modules inside of torch's own run as well; another process knows
    nothing of them."""
    before, after = torchs._global_forward_pre_hooks, torchs._global_forward_hooks
    hooks = [*before.items(), *after.items()]
    return f"{os.getpid()} {hooks}" if hooks else ""
