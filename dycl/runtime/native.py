"""Run a host that was compiled from C: `host.json` says what its values mean.

The layout of its memory is that of `struct dycl_net` in dycl.h. A run is one call with
one pointer; inputs, outputs and the path are read and written in its memory.
"""

from __future__ import annotations

import builtins
import ctypes
import weakref
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from dycl.runtime.buffers import Array, Buffer, Weight, address_of
from dycl.runtime.cells import Cells
from dycl.runtime.cuda.beside_native import Uploads, part_of
from dycl.runtime.effects import make_exception
from dycl.runtime.engines.calls import engine_calls
from dycl.runtime.engines.kernels import EngineKernel
from dycl.runtime.engines.sessions import forget
from dycl.runtime.inputs import InputSpec
from dycl.runtime.kernels import Argument
from dycl.runtime.library import Code, address_if_any, function_if_any
from dycl.runtime.locks import Lock
from dycl.runtime.members import ArtifactError
from dycl.runtime.objects import Objects, method_of, objects_of
from dycl.runtime.open_shapes import Shape
from dycl.runtime.path_bytes import PathBytes
from dycl.runtime.tensors import tensor_leaf, torch_functions
from dycl.runtime.values import (
    EFFECT,
    ENGINE,
    INPUTS,
    KEPT,
    OBJECTS,
    PATH,
    PATH_COUNT,
    POLL,
    SITE,
    LeafReader,
    Reader,
    Values,
    make_reader,
    view_at,
    words_at,
)
from dycl.runtime.weight_set import Made, WeightSet, weight_buffer

if TYPE_CHECKING:
    from dycl.runtime.cuda.mixed import MixedKernels

_RAISED, _STOPPED = 1, 2
_UNFIT = -100
_ADDRESS = ctypes.c_void_p
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)

UNFIT = object()
"""What a call gives that has run nothing."""


class NativeHost:
    """A host in native code, and what its tables say; shared by all threads."""

    def __init__(
        self,
        library: Code,
        tables: Mapping[str, Any],
        engines: Mapping[str, EngineKernel] | None = None,
        gpu: MixedKernels | None = None,
    ):
        """`library` is a loaded model.so, `engines` has the kernels that engines run,
        `gpu` those of a GPU.

        ArtifactError: it holds no host, or a kernel is not there.
        """
        self.library = library
        self.gpu = gpu
        if gpu is None and "on_gpu" in tables:
            raise ArtifactError("the kernels of a GPU are not there")
        self._in_engines = _kernels_of_sessions(tables, engines or {})
        self.tables = tables
        try:
            self._prepare = library.function("dycl_prepare", _ADDRESS, *[_ADDRESS] * 2)
            self._release = library.function("dycl_release", None, _ADDRESS)
            self._create = library.function("dycl_create", _ADDRESS, _ADDRESS)
            self._destroy = library.function("dycl_destroy", None, _ADDRESS)
            self.run = library.function("dycl_run", ctypes.c_int, _ADDRESS)
        except AttributeError as error:
            raise ArtifactError("model.so has no host in it") from error
        self.time = function_if_any(library, "dycl_time", None, _ADDRESS, ctypes.c_int)
        self.take_events = function_if_any(
            library, "dycl_take_events", ctypes.c_int64, *[_ADDRESS] * 3
        )
        """How runs are timed, by dycl.runtime.profiling; None: they cannot be."""
        self.method = address_if_any(library, "dycl_method")
        """Where what runs on objects is; None: there is none."""
        specs = [InputSpec(n, kind, _shape(s)) for n, kind, s in tables["inputs"]]
        self.made_tensor = address_if_any(library, "dycl_made_tensor")
        sites = len(tables["returns"])
        has_both = self.method is not None and self.made_tensor is not None
        self.objects = objects_of(specs, sites) if has_both else None
        """Where a run finds what it is given; None: it has to be told."""
        self._lock = Lock()
        self._bound: tuple[WeightSet, Weights] | None = None

    def knows_tensors(self) -> bool:
        """Take torch's tensors as they are from now on; whether that is new.

        torch is imported.
        """
        if self.objects is None or (functions := torch_functions()) is None:
            return False
        return self.objects.know(functions)

    def bind(self, weights: WeightSet) -> Weights:
        """The weights in the form that kernels want them, for all handles.

        KeyError: one is missing; ValueError: one is of another type; WeightError: one
        was left out, and is needed; MemoryError.
        """
        with self._lock.lock:
            if self._bound is None or self._bound[0] is not weights:
                self._bound = (weights, self._prepared(weights))
            return self._bound[1]

    def _prepared(self, weights: WeightSet) -> Weights:
        buffers = [
            weight_buffer(weights, path, dtype, tuple(shape))
            for path, dtype, shape in self.tables["weights"]
        ]
        made: list[Array | None] = []
        sessions: dict[int, EngineKernel] = {}
        for place, (name, dtype, shape, _, paths) in enumerate(self.tables["made"]):
            if (kernel := self._in_engines.get(place)) is not None:
                weights.check(paths)
                number = self._session(kernel, buffers, paths)
                sessions[int(number[0])] = kernel
                made.append(number)
                continue
            prepared = weights.made.get(name)
            if prepared is None:
                weights.check(paths)
            else:
                prepared.check(name, dtype, shape)
            made.append(None if prepared is None else prepared.data)
        address: int | None = self._prepare(
            _addresses([buffer.address for buffer in buffers]),
            _addresses([None if item is None else address_of(item) for item in made]),
        )
        if not address:
            raise MemoryError("there is no memory for the network's weights")
        uploads = None if self.gpu is None else Uploads()
        bound = Weights(address, [*buffers, *made], sessions, uploads)
        weakref.finalize(bound, _free, self._release, address, self.library)
        weakref.finalize(bound, forget, [*sessions])
        return bound

    def _session(
        self, kernel: EngineKernel, buffers: Sequence[Weight], paths: Sequence[str]
    ) -> Array:
        """The number of a session with these weights. EngineFailed."""
        addresses = {buffer.path: buffer.address for buffer in buffers}
        return kernel.prepared.kernel.number_for([addresses[p] for p in paths])

    def handle(self, weights: Weights, owner: object) -> int:
        """The address of a new handle, which ends with its owner. MemoryError."""
        handle: int | None = self._create(weights.address)
        if not handle:
            raise MemoryError("there is no memory for the network's buffers")
        weakref.finalize(owner, _free, self._destroy, handle, self.library)
        return handle

    def made(self, weights: WeightSet) -> dict[str, Made]:
        """What is made of these weights, by its name; views of the memory."""
        bound = self.bind(weights)
        start = len(self.tables["weights"])
        words = words_at(bound.address, start + len(self.tables["made"]))
        result: dict[str, Made] = {}
        for place, (name, dtype, shape, size, paths) in enumerate(self.tables["made"]):
            if place in self._in_engines:
                continue  # A session is of this process.
            kind = np.dtype(np.uint8)
            data = view_at(words[start + place], kind, (size,), bound)
            result[name] = Made(tuple(paths), dtype, tuple(shape), data)
        return result


def _kernels_of_sessions(
    tables: Mapping[str, Any], engines: Mapping[str, EngineKernel]
) -> dict[int, EngineKernel]:
    """The kernels by the places of their sessions among what is made of weights."""
    try:
        return {place: engines[name] for place, name in tables.get("sessions", [])}
    except KeyError as error:
        raise ArtifactError(f"no engine has the kernel {error}") from error


def _free(function: Any, address: int, library: Code) -> None:
    """Free native memory; until then, the library is there that has the function."""
    function(address)


@dataclass(frozen=True)
class Weights:
    """What native code knows as the weights; it ends with this object."""

    address: int
    kept: Sequence[object]
    """The memory that it leads to."""
    sessions: Mapping[int, EngineKernel]
    """The kernels that engines run, by the numbers of their sessions."""
    uploads: Uploads | None
    """What a GPU has of them, if it computes a part."""


def _addresses(found: Sequence[int | None]) -> Any:
    return (ctypes.c_void_p * (len(found) + 1))(*found)


class NativeInstance:
    """One handle, for one thread."""

    def __init__(
        self, host: NativeHost, weights: WeightSet, cells: Cells | None = None
    ):
        """Make a handle. MemoryError: there is no memory for it.

        With `cells`, `run_on` takes and leaves the network's state there.
        """
        self.busy = False
        """Whether a call runs on it."""
        self._bound = host.bind(weights)
        handle = host.handle(self._bound, self)
        self._host = host
        self.handle = ctypes.c_void_p(handle)
        self._values = Values(host.tables, handle)
        self._words = self._values.words
        self.on_gpu = part_of(host.gpu, self._values, self._bound.uploads)
        """What a GPU computes; None: nothing."""
        self._run = host.run
        self._readers = self._read_by(self._values.reader)
        self._readers_on_gpu: list[Reader] = []
        """What leaves results there, once a caller has lent something."""
        self.readers: list[Reader] = []
        """What reads the result of `run_on`; that of each place that returns, then as
        torch's tensors."""
        self.run_on: Callable[[tuple[object, ...]], int] | None = None
        """Run on a user's objects. It gives the place in `readers` of what reads the
        result; or what `failed` takes. None, where the host has no `objects`."""
        self._kept: list[object] = []
        self.path_bytes = PathBytes(self._words, PATH, PATH_COUNT).read
        """Gives the decisions of the last run, as `dycl_net` has them."""
        if host.objects is not None:
            self._run_on_objects(host.objects, handle, cells)
        inputs: list[Any] = host.tables["inputs"]
        count = len(inputs)
        self._sized = {
            place: (ctypes.c_int64 * (1 + len(shape)))()
            for place, (_, _, shape) in enumerate(inputs)
            if any(isinstance(size, str) for size in shape or ())
        }
        """`dycl_tensor` of each input of which a call decides sizes."""
        self._ints = words_at(self._words[INPUTS], count)
        self._floats = words_at(self._words[INPUTS], count, "d")
        for place, sized in self._sized.items():
            self._ints[place] = ctypes.addressof(sized)
        if host.tables["effects"]:
            self._set_callback(EFFECT, self._values.effects())
        if self._bound.sessions or self.on_gpu is not None:
            run = None if self.on_gpu is None else self.on_gpu.run
            calls = engine_calls(self._values, self._bound.sessions, run)
            self._set_callback(ENGINE, calls)
        if host.tables["loops"]:
            self._set_callback(POLL, self._values.polls())

    def _read_by(
        self, leaf: LeafReader, *, without_state: bool = False
    ) -> list[Reader]:
        """What reads the result at each place that returns."""
        readers: list[Reader] = []
        for entry in self._host.tables["returns"]:
            structure = entry["structure"]
            if without_state:
                structure = structure["tuple"][0]
            readers.append(make_reader(structure, entry["types"], leaf))
        return readers

    def _run_on_objects(
        self, objects: Objects, handle: int, cells: Cells | None
    ) -> None:
        host = self._host
        assert host.method is not None
        assert host.made_tensor is not None
        tensors = tensor_leaf(
            host.made_tensor, objects.address, self._values, self._kept
        )
        is_split = cells is not None
        self.readers = [
            *self._read_by(self._values.reader, without_state=is_split),
            *self._read_by(tensors, without_state=is_split),
        ]
        self._words[OBJECTS] = objects.address
        if cells is not None:
            self._words[KEPT] = cells.address
        self.run_on, method = method_of(host.method, handle)
        if self.on_gpu is not None:
            self.run_on = self.on_gpu.begins(self.run_on)
        self._kept += [method, objects, cells]

    def failed(self, site: int) -> object:
        """UNFIT, if a run on objects was none. Raises what the network has raised."""
        if site == _UNFIT:
            return UNFIT
        return _fail(self._host, self._values, -site)

    def start(self) -> None:
        """Forget the path of the last run."""
        self._words[PATH_COUNT] = 0

    def forward(self, *arguments: Argument) -> Any:
        """Run. Raises what the network raises."""
        gpu = self.on_gpu
        if gpu is None:
            return self._forward(arguments, self._readers)
        gpu.begin()
        if not gpu.is_lent(arguments):
            return self._forward(arguments, self._readers)
        if not self._readers_on_gpu:
            self._readers_on_gpu = self._read_by(gpu.leaf)
        with gpu.lending(arguments) as opened:
            return self._forward(opened, self._readers_on_gpu)

    def give(self, arguments: Sequence[Argument]) -> None:
        """Leave arguments for the next run where it finds them."""
        for place, value in enumerate(arguments):
            if isinstance(value, Buffer):
                if (sized := self._sized.get(place)) is None:
                    self._ints[place] = value.address
                else:
                    sized[:] = [value.address, *value.array.shape]
            elif isinstance(value, float):
                self._floats[place] = value
            else:
                self._ints[place] = value

    def _forward(self, arguments: Sequence[Argument], readers: Sequence[Reader]) -> Any:
        self.give(arguments)
        status = self._run(self.handle)
        if status:
            _fail(self._host, self._values, status)
        return readers[self._words[SITE]]()

    def result(self) -> Any:
        """What the last run has returned."""
        return self._readers[self._words[SITE]]()

    @property
    def taken(self) -> list[tuple[int, bool]]:
        """The decisions of the last run: number, side."""
        count = self._words[PATH_COUNT]
        events = (ctypes.c_uint32 * count).from_address(self._words[PATH])
        return [(event >> 1, bool(event & 1)) for event in events]

    def _set_callback(self, word: int, answers: Generator[int, int]) -> None:
        """Let native code call a generator: what it sends is the handle.

        A function would do, but for Ctrl-C: Python raises KeyboardInterrupt where a
        function begins, before any `try`; where a generator goes on, inside it.
        """
        next(answers)
        callback = _CALLBACK(answers.send)
        self._kept.append(callback)
        # Not by `cast`, after which it would refer to itself.
        start = ctypes.addressof(callback)
        self._words[word] = cast(int, ctypes.c_void_p.from_address(start).value)


def _fail(host: NativeHost, values: Values, status: int) -> NoReturn:
    """Raise what a run has ended with."""
    if status == _STOPPED and values.error is not None:
        error, values.error = values.error, None
        raise error
    if status != _RAISED:
        raise MemoryError("there is no memory to run the network")
    entry = host.tables["errors"][values.words[SITE]]
    name: str = entry["exception"]
    if "format" in entry:
        text = entry["format"].format(values.leaf(0, entry["types"][0]))
        raise make_exception(name, Exception, (text,))
    reader = make_reader(entry["arguments"], entry["types"], values.reader)
    base = (entry["base"] or name).removeprefix("builtins.")
    raise make_exception(name, getattr(builtins, base), reader())


def _shape(sizes: Sequence[int | str] | None) -> Shape | None:
    return None if sizes is None else tuple(sizes)
