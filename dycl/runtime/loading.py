"""Shared objects that are no files: from memory into this process."""

from __future__ import annotations

import ctypes
import itertools
import os
from typing import Any

_numbers = itertools.count()


def load_from_memory(code: bytes | memoryview, name: str) -> Any:
    """dlopen `code`, which debuggers show as `name`; no file is left open.

    OSError: the code cannot be loaded. AttributeError: there are no files in memory on
    this system.
    """
    file = os.memfd_create(name)
    try:
        with os.fdopen(os.dup(file), "wb") as out:
            out.write(code)
        return ctypes.CDLL(f"/proc/self{_spelling(next(_numbers))}/fd/{file}")
    finally:
        os.close(file)


def _spelling(number: int) -> str:
    """Nothing, to the system: the number's bits as `/.` and `//`.

    The loader takes a file for one that it has loaded if their paths are spelled alike,
    and the number of a file that was closed is given to another.
    """
    return "".join("/." if number >> bit & 1 else "//" for bit in range(32))
