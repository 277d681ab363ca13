"""The kernels of an artifact: a shared object, called through addresses.

For each kernel with the symbol `k` the object has `_mlir_k(void **slots)`: each slot is
the address of an 8-byte word with one C argument of it.
"""

from __future__ import annotations

import ctypes
import struct
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakValueDictionary, finalize

from dycl.runtime.inputs import InputSpec
from dycl.runtime.loading import load_from_memory
from dycl.runtime.locks import Lock
from dycl.runtime.members import ArtifactError

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_lock = Lock(is_inner=True)
"""Held while the system's loader works: it has a lock of its own, which a child that is
forked meanwhile would find taken for ever."""


class NativeLibrary:
    """All kernels of an artifact by name."""

    def __init__(
        self, code: memoryview, digest: str, kernels: Sequence[Mapping[str, Any]]
    ):
        """`digest` tells this code from other code; `kernels` is of the manifest.

        ArtifactError: the code cannot be loaded, or lacks a kernel.
        """
        library = load_code(code, digest)
        self._kernels = {
            entry["name"]: _Kernel(library, entry["name"], entry) for entry in kernels
        }

    def __getitem__(self, name: str) -> _Kernel:
        """The kernel of this name. KeyError: there is none."""
        return self._kernels[name]


class _Prepared:
    """What is made of a kernel's weights beforehand."""

    def __init__(self, library: Code, name: str, entry: Mapping[str, Any]):
        prepared: Mapping[str, Any] = entry["prepared"]
        self.weights: tuple[int, ...] = tuple(prepared["weights"])
        self.outputs = tuple(
            InputSpec("", item["dtype"], tuple(item["shape"]))
            for item in prepared["outputs"]
        )
        recipes: list[tuple[str, list[int]]] = prepared.get("recipes", [])
        self.recipes = tuple((digest, tuple(used)) for digest, used in recipes)
        """What each of them is made of; (): it is not said."""
        inputs = [entry["inputs"][i] for i in self.weights]
        outputs = prepared["outputs"]
        own = {"symbol": prepared["symbol"], "inputs": inputs, "outputs": outputs}
        self.kernel = _Kernel(library, f"{name}_prepare", own)


class _Kernel:
    def __init__(self, library: Code, name: str, entry: Mapping[str, Any]):
        self.library = library
        try:
            self.entry = _ENTRY(library.address(f"_mlir_{entry['symbol']}"))
        except AttributeError as error:
            raise ArtifactError(f"model.so has no kernel {name}") from error
        inputs: list[Mapping[str, Any]] = entry["inputs"]
        self.prepared = None
        self.inputs_left = tuple(range(len(inputs)))
        if "prepared" in entry:
            self.prepared = _Prepared(library, name, entry)
            self.inputs_left = tuple(entry["prepared"]["inputs_left"])
            left = [inputs[i] for i in self.inputs_left]
            inputs = [*left, *entry["prepared"]["outputs"]]
        self.words: list[bool] = []
        """For each C argument, whether it is a double."""
        dims: list[tuple[int, ...]] = []
        for item in inputs:
            open_dims = _open_dims(item)
            dims.append(open_dims)
            self.words += [item.get("scalar") == "float", *(False for _ in open_dims)]
        for item in entry["outputs"]:
            dims.append((-1,) if _open_dims(item) else ())
            self.words.append(False)
        self.workspace: int = entry.get("workspace", 0)
        """Bytes of memory that it needs during a call; 0: no such argument."""
        if self.workspace:
            dims.append(())
            self.words.append(False)
        self.open_dims = tuple(dims)

    def bind(self, *arguments: float) -> _Bound:
        """Lay out arguments; any may be stored anew before a call."""
        bound = _Bound(self)
        for index, value in enumerate(arguments):
            bound.store(index, value)
        return bound


class _Bound:
    __slots__ = ("_address", "_call", "_floats", "_kernel", "_pointers", "_slots")

    def __init__(self, kernel: _Kernel):
        count = len(kernel.words)
        self._kernel = kernel
        self._slots = (ctypes.c_int64 * count)()
        start = ctypes.addressof(self._slots)
        self._pointers = (ctypes.c_void_p * count)(
            *(start + 8 * i for i in range(count))
        )
        self._address = ctypes.addressof(self._pointers)
        self._call = kernel.entry
        self._floats = frozenset(i for i, f in enumerate(kernel.words) if f)

    def store(self, index: int, value: float) -> None:
        """Set an argument: an address, or a scalar's value."""
        if index in self._floats:
            (value,) = struct.unpack("q", struct.pack("d", value))
        self._slots[index] = int(value)

    def __call__(self) -> None:
        """Run the kernel on the arguments last stored."""
        self._call(self._address)


def _open_dims(entry: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(i for i, size in enumerate(entry.get("shape", ())) if size < 0)


class Code:
    """A shared object in this process; it ends with the last reference to this.

    Functions of ctypes refer to themselves, and are gone when the garbage collector
    has been there twice; so they are made of addresses, and whoever has one keeps this.
    """

    def __init__(self, library: Any):
        """`library`: a CDLL."""
        self._library = library
        end = finalize(self, _unload, library._handle, self._pool())
        end.atexit = False  # Threads may run its code until the process ends.

    def address(self, name: str) -> int:
        """Where a symbol is. AttributeError: there is none of this name."""
        try:
            with _lock.lock:
                return ctypes.addressof(ctypes.c_char.in_dll(self._library, name))
        except ValueError as error:
            raise AttributeError(f"there is no symbol {name}") from error

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """A function of these ctypes. AttributeError: there is none of this name."""
        return ctypes.CFUNCTYPE(result, *arguments)(self.address(name))

    def _pool(self) -> int | None:
        """Where it notes that it has threads of its own (`thread_pool.h`)."""
        try:
            return self.address("dycl_pool")
        except AttributeError:
            return None


def _unload(handle: int, pool: int | None) -> None:
    """Nothing refers to a library any more: it ends, unless its threads run in it."""
    if pool is None or not ctypes.c_void_p.from_address(pool).value:
        with _lock.lock:
            _close(handle)


_close: Any = ctypes.CDLL(None).dlclose
_close.argtypes = [ctypes.c_void_p]
_loaded: WeakValueDictionary[str, Code] = WeakValueDictionary()


def load_code(code: memoryview, digest: str) -> Code:
    """The shared object, one for each digest. ArtifactError: it cannot be loaded."""
    with _lock.lock:
        loaded = _loaded.get(digest)
        if loaded is None:
            _loaded[digest] = loaded = Code(_load(code))
        return loaded


def _load(code: memoryview) -> Any:
    try:
        return load_from_memory(code, "dycl-model")
    except (AttributeError, OSError):
        pass
    try:
        return _load_through_file(code)
    except OSError as error:
        raise ArtifactError(f"model.so cannot be loaded: {error}") from error


def _load_through_file(code: memoryview) -> Any:
    with tempfile.NamedTemporaryFile(suffix=".so") as out:
        out.write(code)
        out.flush()
        return ctypes.CDLL(out.name)


def function_if_any(library: Code, name: str, result: Any, *arguments: Any) -> Any:
    """A function of the library; None: it has none of this name."""
    try:
        return library.function(name, result, *arguments)
    except AttributeError:
        return None


def address_if_any(library: Code, name: str) -> int | None:
    """Where a function of the library is; None: it has none of this name."""
    try:
        return library.address(name)
    except AttributeError:
        return None
