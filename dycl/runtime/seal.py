"""The seal at the end of a model.so: of its code, and of what tells what it means.

Native code reads and fills memory as `host.json`, `host.py` and the table of kernels in
the manifest say; with those of another network it would write beside it. So the code
ends in a digest of itself and of these, which loaders of shared objects do not look at.
It is no signature: who writes code can seal it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

_MARK = b"\0DyCL seal\0"
_SIZE = len(_MARK) + hashlib.sha256().digest_size


class BrokenSeal(ValueError):
    """A code does not end in the seal of these tables."""


def sealed(code: bytes, host: bytes, tables: bytes, kernels: Sequence[Any]) -> bytes:
    """The code with its seal; `host` is host.py, `tables` host.json or nothing."""
    digest = hashlib.sha256(code).digest()
    return code + _MARK + _seal(digest, host, tables, kernels)


def unsealed(
    data: memoryview, host: memoryview, tables: bytes | memoryview, kernels: Any
) -> tuple[memoryview, str]:
    """The code without its seal, and its digest. BrokenSeal: it is of other things."""
    code, seal = data[:-_SIZE], bytes(data[-_SIZE:])
    digest = hashlib.sha256(code)
    if seal != _MARK + _seal(digest.digest(), host, tables, kernels):
        raise BrokenSeal
    return code, digest.hexdigest()


def _seal(
    digest: bytes,
    host: bytes | memoryview,
    tables: bytes | memoryview,
    kernels: Sequence[Any],
) -> bytes:
    listed = json.dumps(kernels, sort_keys=True, separators=(",", ":")).encode()
    seal = hashlib.sha256(digest)
    for part in (host, tables, listed):
        seal.update(hashlib.sha256(part).digest())
    return seal.digest()
