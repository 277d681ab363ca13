"""The kernels that an engine runs, as hosts call them.

A kernel takes its inputs but for the weights, the number of its session, and its
outputs. The preparation makes the session: see `sessions.py`.
"""

from __future__ import annotations

import ctypes
import json
import struct
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dycl.runtime.buffers import Array, address_of
from dycl.runtime.dtypes import numpy_dtype
from dycl.runtime.engines.models import Model, model_of_entry
from dycl.runtime.engines.sessions import (
    Call,
    Engine,
    EngineFailed,
    Place,
    engine_of,
    forget,
    keep,
    session_of,
)
from dycl.runtime.zipping import zip_equal


@dataclass(frozen=True)
class EngineCode:
    """A kernel for an engine."""

    name: str
    location: str
    """The user's line."""
    model: Model
    """Its weights are yet to be given; they are called `in<index>`."""
    inputs: tuple[Place, ...]
    outputs: tuple[Place, ...]
    weights: tuple[int, ...]
    """The inputs that are weights, by index."""


def as_json(codes: Sequence[EngineCode], engine: str, threads: int) -> bytes:
    """Kernels as a member of an artifact."""
    entries = [
        {
            **{"name": code.name, "location": code.location},
            **{"inputs": code.inputs, "outputs": code.outputs, "weights": code.weights},
            **code.model.entry(),
        }
        for code in codes
    ]
    content = {"engine": engine, "threads": threads, "kernels": entries}
    return (json.dumps(content, separators=(",", ":")) + "\n").encode()


def from_json(content: Any) -> EngineKernels:
    """The kernels of a member. EngineMissing: their engine is not there. LookupError,
    TypeError, ValueError: it has none."""
    engine = engine_of(content["engine"], content["threads"])
    return EngineKernels(engine, [_code(entry) for entry in content["kernels"]])


def _code(entry: Mapping[str, Any]) -> EngineCode:
    return EngineCode(
        *(entry["name"], entry["location"], model_of_entry(entry)),
        *(_places(entry["inputs"]), _places(entry["outputs"])),
        tuple(entry["weights"]),
    )


def _places(entries: Sequence[Any]) -> tuple[Place, ...]:
    return tuple(Place(dtype, tuple(shape), flag) for dtype, shape, flag in entries)


Failure = Callable[[EngineCode, str, Exception], Exception]
"""What is raised for what an engine has raised at a kernel; the text is its own."""


def _failure(engine: Engine) -> Failure:
    def failure(code: EngineCode, said: str, error: Exception) -> Exception:
        where = f" ({code.location})" if code.location else ""
        return EngineFailed(
            f"{engine.title} cannot run @{code.name}{where}: {said}; the network needs "
            "no other engine if it is compiled with backend='cpu'"
        )

    return failure


class EngineKernels:
    """The kernels of one network by one engine."""

    def __init__(
        self,
        engine: Engine,
        codes: Sequence[EngineCode],
        failure: Failure | None = None,
    ):
        self.engine = engine
        self.codes = tuple(codes)
        self.failure = failure or _failure(engine)
        self.numbers: list[int] = []
        """The sessions that its kernels have made."""
        self._kernels = {code.name: EngineKernel(self, code) for code in codes}
        weakref.finalize(self, forget, self.numbers)

    def __getitem__(self, name: str) -> EngineKernel:
        """The kernel called `name`. Raises KeyError if there is none."""
        return self._kernels[name]

    @property
    def by_name(self) -> dict[str, EngineKernel]:
        """The kernels by name."""
        return dict(self._kernels)

    def failed(self, code: EngineCode, error: Exception) -> Exception:
        """What to raise for what the engine has raised."""
        said = str(error).strip().splitlines() or [type(error).__name__]
        return self.failure(code, said[-1].strip(), error)


@dataclass(frozen=True)
class EnginePreparation:
    """What makes the session of a kernel, and fills in its number."""

    weights: tuple[int, ...]
    kernel: SessionMaker
    outputs: tuple[Place, ...] = (Place("int64", (1,)),)
    recipes: tuple[Any, ...] = ()
    """None: a session is of this process, and not kept with weights laid out anew."""


class EngineKernel:
    """One kernel; it keeps the library with its sessions alive."""

    workspace = 0

    def __init__(self, library: EngineKernels, code: EngineCode):
        self.library, self.code = library, code
        inputs = range(len(code.inputs))
        self.inputs_left = tuple(i for i in inputs if i not in code.weights)
        """The inputs that are passed, by index; then comes the session."""
        self.prepared = EnginePreparation(code.weights, SessionMaker(self))

    @property
    def inputs(self) -> list[Place]:
        """The inputs that are no weights."""
        return [self.code.inputs[i] for i in self.inputs_left]

    def bind(self, *arguments: float) -> EngineBound:
        """Lay out arguments; the ones left out at the end are stored later."""
        bound = EngineBound(self)
        for index, value in enumerate(arguments):
            bound.store(index, value)
        return bound

    def launch(self, *arguments: float) -> None:
        """Run once. ValueError: the number of arguments is wrong."""
        count = len(self.inputs_left) + 1 + len(self.code.outputs)
        if len(arguments) != count:
            given = len(arguments)
            raise ValueError(f"@{self.code.name} takes {count} arguments, not {given}")
        self.bind(*arguments)()


class EngineBound:
    """A kernel's arguments in 8-byte slots, and the call of the engine on them."""

    def __init__(self, kernel: EngineKernel):
        self._kernel = kernel
        self._place = len(kernel.inputs_left)
        count = self._place + 1 + len(kernel.code.outputs)
        self._slots = (ctypes.c_int64 * count)()
        self._start = ctypes.addressof(self._slots)
        self._changed = set(range(len(self._slots)))
        numbers = [(i, p.dtype) for i, p in enumerate(kernel.inputs) if p.is_number]
        self._floats = {i for i, dtype in numbers if dtype == "float64"}
        self._numbers = {i for i, _ in numbers}
        self._number = 0
        self._call: Call | None = None

    def store(self, index: int, value: float) -> None:
        """Set argument `index`: an address, or a scalar's value."""
        if index in self._floats:
            (value,) = struct.unpack("q", struct.pack("d", value))
        value = int(value)
        if self._slots[index] != value:
            self._slots[index] = value
            if index not in self._numbers:
                self._changed.add(index)

    def __call__(self) -> None:
        """Run the kernel on the arguments last stored. What `failed` gives."""
        number = ctypes.c_int64.from_address(self._slots[self._place]).value
        try:
            call = self._call
            if call is None or number != self._number:
                self._call = call = session_of(number).call()
                self._number = number
                self._changed = set(range(len(self._slots)))
            for index in self._changed:
                if index in self._numbers:
                    call.store(index, self._start + 8 * index)
                elif index != self._place:
                    place = index - (index > self._place)
                    call.store(place, self._slots[index])
            self._changed.clear()
            call()
        except Exception as error:
            raise self._kernel.library.failed(self._kernel.code, error) from error


class SessionMaker:
    """Makes the session of a kernel: it takes the weights, and fills in a number."""

    prepared = None
    workspace = 0

    def __init__(self, kernel: EngineKernel):
        self._kernel = weakref.proxy(kernel)
        self.inputs_left = tuple(range(len(kernel.code.weights)))

    def bind(self, *arguments: float) -> BoundMaker:
        """Lay out the addresses of the weights, and of the number."""
        bound = BoundMaker(self, len(self.inputs_left) + 1)
        for index, value in enumerate(arguments):
            bound.store(index, value)
        return bound

    def launch(self, *arguments: float) -> None:
        """Run once."""
        self.bind(*arguments)()

    def number_for(self, addresses: Sequence[int]) -> Array:
        """The number of a new session, for weights at these addresses, in memory."""
        number = np.zeros(1, np.int64)
        self.make([*addresses, address_of(number)])
        return number

    def make(self, addresses: Sequence[int]) -> None:
        """Make the session. What `failed` gives."""
        kernel: EngineKernel = self._kernel
        library, code = kernel.library, kernel.code
        weights = {
            f"in{index}": _array(address, code.inputs[index])
            for index, address in zip_equal(code.weights, addresses[:-1])
        }
        try:
            model = code.model.with_weights(weights)
            session = library.engine.session(model, kernel.inputs, code.outputs)
        except Exception as error:
            raise library.failed(code, error) from error
        number = keep(session)
        library.numbers.append(number)
        ctypes.c_int64.from_address(addresses[-1]).value = number


class BoundMaker:
    """The addresses of weights, and of the number of the session."""

    def __init__(self, maker: SessionMaker, count: int):
        self._maker, self._addresses = maker, [0] * count

    def store(self, index: int, value: float) -> None:
        """Set an address."""
        self._addresses[index] = int(value)

    def __call__(self) -> None:
        """Make the session. What `failed` of the library gives."""
        self._maker.make(self._addresses)


def _array(address: int, place: Place) -> Array:
    """The memory of a weight as an array."""
    dtype = numpy_dtype(place.dtype)
    size = int(np.prod(place.shape, dtype=np.int64)) * dtype.itemsize
    memory: Any = (ctypes.c_char * size).from_address(address)
    return np.frombuffer(memory, dtype).reshape(place.shape)
