"""Run a host that was compiled from C: `host.json` says what its values mean.

The layout of its memory is that of `struct dycl_net` in dycl.h. A run is one call with
one pointer; inputs, outputs and the path are read and written in its memory.
"""

import builtins
import ctypes
import math
import struct
import sys
import threading
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, cast

import numpy as np

from dycl.runtime.buffers import Array, Buffer, Weight, address_of, adopt
from dycl.runtime.effects import do_effect, make_exception
from dycl.runtime.inputs import InputSpec
from dycl.runtime.kernels import Argument
from dycl.runtime.members import ArtifactError
from dycl.runtime.objects import method_of, objects_of
from dycl.runtime.records import make_record
from dycl.runtime.weight_set import Made, WeightSet

_INPUTS, _OUTPUTS, _SITE, _PATH, _PATH_COUNT, _EFFECT, _POLL, _ARGUMENTS = range(8)
_ANSWER, _OBJECTS = 9, 11
_WORDS = 12
"""Words of 8 bytes at the start of a handle."""

_MOST_VIEWS = 16
"""Addresses that are known for an output: places in the arena, inputs, weights."""

_RAISED, _STOPPED = 1, 2
_UNFIT = -100
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_Reader = Callable[[], Any]
_LeafReader = Callable[[int, Any], _Reader]

UNFIT = object()
"""What a call gives that has run nothing."""


class NativeHost:
    """A host in native code, and what its tables say; shared by all threads."""

    def __init__(self, library: Any, tables: Mapping[str, Any]):
        """`library` is a loaded model.so. ArtifactError: it holds no host."""
        self.library = library
        self.tables = tables
        try:
            self._prepare: Any = library.dycl_prepare
            self._release: Any = library.dycl_release
            self.create: Any = library.dycl_create
            self.destroy: Any = library.dycl_destroy
            self.run: Any = library.dycl_run
        except AttributeError as error:
            raise ArtifactError("model.so has no host in it") from error
        self._prepare.restype = self.create.restype = ctypes.c_void_p
        self._release.argtypes = self.create.argtypes = [ctypes.c_void_p]
        self.destroy.argtypes = [ctypes.c_void_p]
        self.destroy.restype = None
        self.method: Any = getattr(library, "dycl_method", None)
        specs = [InputSpec(n, kind, _shape(s)) for n, kind, s in tables["inputs"]]
        self.objects = None if self.method is None else objects_of(specs)
        """Where a run finds what it is given; None: it has to be told."""
        self._lock = threading.Lock()
        self._bound: tuple[WeightSet, Weights] | None = None

    def bind(self, weights: WeightSet) -> "Weights":
        """The weights in the form that kernels want them, for all handles.

        KeyError: one is missing; ValueError: one is of another type; WeightError: one
        was left out, and is needed; MemoryError.
        """
        with self._lock:
            if self._bound is None or self._bound[0] is not weights:
                self._bound = (weights, self._prepared(weights))
            return self._bound[1]

    def _prepared(self, weights: WeightSet) -> "Weights":
        buffers = [
            weight_buffer(weights, path, dtype, tuple(shape))
            for path, dtype, shape in self.tables["weights"]
        ]
        made: list[Array | None] = []
        for name, _, _, _, paths in self.tables["made"]:
            found = weights.made.get(name)
            if found is None:
                weights.check(paths)
            made.append(None if found is None else found.data)
        address: int | None = self._prepare(
            _addresses([buffer.address for buffer in buffers]),
            _addresses([None if one is None else address_of(one) for one in made]),
        )
        if not address:
            raise MemoryError("there is no memory for the network's weights")
        bound = Weights(address, [*buffers, *made])
        weakref.finalize(bound, self._release, address)
        return bound

    def made(self, weights: WeightSet) -> dict[str, Made]:
        """What is made of these weights, by its name; views of the memory."""
        bound = self.bind(weights)
        start = len(self.tables["weights"])
        words = _words(bound.address, start + len(self.tables["made"]))
        found: dict[str, Made] = {}
        for place, (name, dtype, shape, size, paths) in enumerate(self.tables["made"]):
            data = _view(words[start + place], np.dtype(np.uint8), (size,))
            found[name] = Made(tuple(paths), dtype, tuple(shape), data)
        return found


@dataclass(frozen=True)
class Weights:
    """What native code knows as the weights; it ends with this object."""

    address: int
    kept: Sequence[object]
    """The memory that it leads to."""


def weight_buffer(
    weights: WeightSet, path: str, dtype: str, shape: tuple[int, ...]
) -> Weight:
    """The weight `path`. KeyError: missing; ValueError: of another type."""
    array = weights.params.get(path)
    if array is None and path not in weights.left_out:
        raise KeyError(f"the weights have no entry {path!r}")
    if array is None:
        return Weight(path, np.zeros(shape, dtype))
    if array.dtype.newbyteorder("=") != np.dtype(dtype) or array.shape != shape:
        raise ValueError(
            f"the weight {path!r} is {array.dtype.name}{list(array.shape)}; the "
            f"network was compiled for {dtype}{list(shape)}"
        )
    return Weight(path, adopt(array).array)


def _addresses(found: Sequence[int | None]) -> Any:
    return (ctypes.c_void_p * (len(found) + 1))(*found)


class Values:
    """The values in the memory of one handle."""

    def __init__(self, tables: Mapping[str, Any], handle: int):
        """Of a handle that `tables` are about."""
        self.tables = tables
        self.words = _words(handle, _WORDS)
        count = 1 + max(
            (len(e["types"]) for e in (*tables["returns"], *tables["errors"])),
            default=0,
        )
        self.outputs = _words(self.words[_OUTPUTS], count)
        self._floats = _words(self.words[_OUTPUTS], count, "d")
        self.error: BaseException | None = None
        """What Python code raised that native code has called."""
        self.functions: dict[int, Callable[..., Any]] = {
            number: _function(entry["expression"], len(entry["types"]))
            for number, entry in enumerate(tables["effects"])
            if "expression" in entry
        }

    def leaf(self, place: int, kind: Any) -> Any:
        """A value that the run has left in `outputs`."""
        return self.reader(place, kind)()

    def reader(self, place: int, kind: Any) -> _Reader:
        """What reads a place of `outputs`, again after each run."""
        outputs = self.outputs
        if isinstance(kind, str):
            match kind:
                case "float":
                    floats = self._floats
                    return lambda: floats[place]
                case "int":
                    return lambda: outputs[place]
                case "bool":
                    return lambda: outputs[place] != 0
                case _:
                    return lambda: self._scalar(outputs, self._floats, place, kind)
        if isinstance(kind, dict):
            listed = cast("dict[str, Any]", kind)
            return lambda: self.items(outputs[place], listed)
        dtype, shape = np.dtype(kind[0]), tuple(kind[1])
        if -1 in shape:
            return lambda: _sized(outputs[place], dtype, len(shape))
        copies: dict[int, Callable[[], Array]] = {}

        def read() -> Array:
            address: int = outputs[place]
            copy = copies.get(address)
            if copy is None:
                if len(copies) >= _MOST_VIEWS:
                    copies.clear()
                copy = copies[address] = _view(address, dtype, shape).copy
            return copy()

        return read

    def items(self, address: int, kind: Mapping[str, Any]) -> list[Any]:
        """A list of the run's; its tensors are copied."""
        length, start = _words(address, 2)
        item: Any = kind["items"]
        if isinstance(item, str):
            return self.array(start, [item] * length)
        addresses = _words(start, length)
        if isinstance(item, dict):
            return [self.items(one, cast("dict[str, Any]", item)) for one in addresses]
        dtype, shape = np.dtype(item[0]), tuple(item[1])
        if -1 in shape:
            return [_sized(one, dtype, len(shape)) for one in addresses]
        return [_view(one, dtype, shape).copy() for one in addresses]

    def array(self, address: int, types: Sequence[str]) -> list[Any]:
        """The values of an array of them."""
        count = len(types)
        ints, floats = _words(address, count), _words(address, count, "d")
        return [self._scalar(ints, floats, i, kind) for i, kind in enumerate(types)]

    def _scalar(self, ints: Any, floats: Any, place: int, kind: str) -> Any:
        match kind:
            case "int":
                return ints[place]
            case "float":
                return floats[place]
            case "bool":
                return bool(ints[place])
            case "str":
                return self._text(ints[place])
            case _:
                return None

    def _text(self, address: int) -> str:
        words = _words(address, 4)
        entry = self.tables["texts"][words[0]]
        if "text" in entry:
            return entry["text"]
        values = self.array(words[3], entry["types"])
        count = entry["positional"]
        named = dict(zip(entry["keywords"], values[count:], strict=True))
        return entry["format"].format(*values[:count], **named)

    # ---- what native code calls

    def polls(self) -> Generator[int, int]:
        """Each answer lets Python look for Ctrl-C."""
        return self._answers(lambda: None)

    def effects(self) -> Generator[int, int]:
        """Each answer does the effect that the handle asks for."""
        return self._answers(self._effect)

    def _effect(self) -> None:
        site = self.words[_SITE]
        entry = self.tables["effects"][site]
        values = self.array(self.words[_ARGUMENTS], entry["types"])
        if "expression" not in entry:
            do_effect(entry, values)
            return
        answer = self.functions[site](*values)
        if entry["result"] == "float":
            answer = int.from_bytes(
                struct.pack("=d", answer), sys.byteorder, signed=True
            )
        elif not -(2**63) <= answer < 2**63:
            raise OverflowError("an int does not fit in 64 bits")
        self.words[_ANSWER] = answer

    def _answers(self, act: Callable[[], None]) -> Generator[int, int]:
        """Yields 0, or 1 if `act` has raised."""
        answer = 0
        while True:
            try:
                yield answer
                act()
                answer = 0
            except GeneratorExit:
                return
            except BaseException as error:
                self.error, answer = error, 1


class NativeInstance:
    """One handle, for one thread."""

    def __init__(self, host: NativeHost, weights: WeightSet):
        """Make a handle. MemoryError: there is no memory for it."""
        self.weights = weights
        self._bound = host.bind(weights)
        handle: int | None = host.create(self._bound.address)
        if not handle:
            raise MemoryError("there is no memory for the network's buffers")
        self._host = host
        self._handle = ctypes.c_void_p(handle)
        weakref.finalize(self, host.destroy, handle)
        self._values = Values(host.tables, handle)
        self._words = self._values.words
        self._run = host.run
        self.readers = [
            _reader(entry["structure"], entry["types"], self._values.reader)
            for entry in host.tables["returns"]
        ]
        self.run_on: Callable[[tuple[object, ...]], int] | None = None
        """Run on a user's objects. It gives the place in `readers` of what reads the
        result; or what `failed` takes. None, where the host has no `objects`."""
        if host.objects is not None:
            self._words[_OBJECTS] = host.objects.address
            self.run_on, self._method = method_of(host.method, handle)
        count = len(host.tables["inputs"])
        self._ints = _words(self._words[_INPUTS], count)
        self._floats = _words(self._words[_INPUTS], count, "d")
        self._callbacks: list[object] = []
        if host.tables["effects"]:
            self._set_callback(_EFFECT, self._values.effects())
        if host.tables["loops"]:
            self._set_callback(_POLL, self._values.polls())

    def failed(self, site: int) -> object:
        """UNFIT, if a run on objects was none. Raises what the network has raised."""
        if site == _UNFIT:
            return UNFIT
        return _fail(self._host, self._values, -site)

    def start(self) -> None:
        """Forget the path of the last run."""
        self._words[_PATH_COUNT] = 0

    def forward(self, *arguments: Argument) -> Any:
        """Run. Raises what the network raises."""
        for place, value in enumerate(arguments):
            if isinstance(value, Buffer):
                self._ints[place] = value.address
            elif isinstance(value, float):
                self._floats[place] = value
            else:
                self._ints[place] = value
        status = self._run(self._handle)
        if status:
            _fail(self._host, self._values, status)
        return self.readers[self._words[_SITE]]()

    @property
    def taken(self) -> list[tuple[int, bool]]:
        """The decisions of the last run: number, side."""
        count = self._words[_PATH_COUNT]
        events = (ctypes.c_uint32 * count).from_address(self._words[_PATH])
        return [(event >> 1, bool(event & 1)) for event in events]

    def _set_callback(self, word: int, answers: Generator[int, int]) -> None:
        """Let native code call a generator: what it sends is the handle.

        A function would do, but for Ctrl-C: Python raises KeyboardInterrupt where a
        function begins, before any `try`; where a generator goes on, inside it.
        """
        next(answers)
        callback = _CALLBACK(answers.send)
        self._callbacks.append(callback)
        self._words[word] = cast(int, ctypes.cast(callback, ctypes.c_void_p).value)


def _function(expression: str, count: int) -> Callable[..., Any]:
    """What is asked for by `expression`, of `a0`, `a1`, ..."""
    named = ", ".join(f"a{i}" for i in range(count))
    return eval(f"lambda {named}: {expression}", {"math": math, "numpy": np})


def _fail(host: NativeHost, values: Values, status: int) -> NoReturn:
    """Raise what a run has ended with."""
    if status == _STOPPED and values.error is not None:
        error, values.error = values.error, None
        raise error
    if status != _RAISED:
        raise MemoryError("there is no memory to run the network")
    entry = host.tables["errors"][values.words[_SITE]]
    name: str = entry["exception"]
    if "format" in entry:
        text = entry["format"].format(values.leaf(0, entry["types"][0]))
        raise make_exception(name, Exception, (text,))
    reader = _reader(entry["arguments"], entry["types"], values.reader)
    base = (entry["base"] or name).removeprefix("builtins.")
    raise make_exception(name, getattr(builtins, base), reader())


def _shape(sizes: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if sizes is None else tuple(sizes)


def _words(address: int, count: int, kind: Literal["q", "d"] = "q") -> Any:
    """Words of 8 bytes at an address: ints, or with `d` doubles."""
    memory = (ctypes.c_char * (8 * count)).from_address(address)
    return memoryview(memory).cast("B").cast(kind)


def _view(address: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    size = math.prod(shape) * dtype.itemsize
    if not size:
        return np.empty(shape, dtype)
    memory: Any = (ctypes.c_char * size).from_address(address)
    return np.frombuffer(memory, dtype).reshape(shape)


def _sized(address: int, dtype: np.dtype[Any], rank: int) -> Array:
    """A copy of a tensor that brings its sizes."""
    data, *shape = _words(address, 1 + rank)
    return _view(data, dtype, tuple(shape)).copy()


def _reader(
    structure: Mapping[str, Any], types: Sequence[Any], leaf: _LeafReader
) -> _Reader:
    """What builds a structure from the outputs of a run."""
    match structure:
        case {"leaf": place}:
            return leaf(place, types[place])
        case {"value": value}:
            return lambda: value
        case {"tuple": items}:
            readers = [_reader(item, types, leaf) for item in items]
            if len(readers) == 2:  # the usual number, in half the time
                first, other = readers
                return lambda: (first(), other())
            return lambda: tuple([read() for read in readers])
        case {"list": items}:
            readers = [_reader(item, types, leaf) for item in items]
            return lambda: [read() for read in readers]
        case {"dict": entries}:
            pairs = [
                (_reader(k, types, leaf), _reader(v, types, leaf)) for k, v in entries
            ]
            return lambda: {key(): read() for key, read in pairs}
        case {"record": name, "kind": kind, "fields": fields, "items": items}:
            readers = [_reader(item, types, leaf) for item in items]
            names = tuple(fields)
            return lambda: make_record(name, kind, names, [read() for read in readers])
        case _:
            raise ArtifactError(f"host.json has an unknown structure: {structure}")
