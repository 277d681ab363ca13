"""The kernels that an engine runs, as hosts call them.

A kernel takes its inputs but for the weights, the number of its session, and its
outputs. The preparation makes the session: see `sessions.py`.
"""

import ctypes
import struct
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from dycl.ir.dialect.model import WEIGHT
from dycl.kernels import NoObjectCode, PlainLoops
from dycl.kernels.engines.sessions import (
    Call,
    Engine,
    EngineError,
    forget,
    keep,
    session_of,
)
from dycl.kernels.onnx import model_of
from dycl.kernels.specs import KernelSpec, Recipe, ScalarSpec, TensorSpec, specs_of
from dycl.runtime.buffers import Array
from dycl.runtime.dtypes import numpy_dtype

_NUMBER = TensorSpec((1,), "int64")
"""Of a session, in memory."""


class EngineLibrary:
    """The kernels of one module."""

    plain: Sequence[PlainLoops] = ()

    def __init__(self, engine: Engine, module: ModuleOp):
        """ValueError: a kernel takes or gives what cannot cross its border."""
        self._module = module
        self.engine = engine
        self.specs = specs_of(module)
        functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
        self._kernels = {
            spec.name: EngineKernel(self, functions[spec.name], spec)
            for spec in self.specs
        }
        self.numbers: list[int] = []
        """The sessions that its kernels have made."""
        weakref.finalize(self, forget, self.numbers)

    def __getitem__(self, name: str) -> "EngineKernel":
        """The kernel called `name`. Raises KeyError if there is none."""
        return self._kernels[name]

    @property
    def symbols(self) -> Mapping[str, str]:
        """NoObjectCode."""
        raise NoObjectCode(self.engine.name)

    def objects(self) -> Mapping[str, bytes]:
        """NoObjectCode."""
        raise NoObjectCode(self.engine.name)

    def shared_object(self) -> bytes:
        """NoObjectCode."""
        raise NoObjectCode(self.engine.name)

    def use_linked(self, code: bytes) -> None:
        """NoObjectCode."""
        raise NoObjectCode(self.engine.name)

    def stages(self) -> dict[str, str]:
        """The text of the kernels, which are handed over as they are."""
        return {"torch": str(self._module)}


@dataclass(frozen=True)
class EnginePreparation:
    """What makes the session of a kernel, and fills in its number."""

    weights: tuple[int, ...]
    recipes: tuple[Recipe, ...]
    kernel: "SessionMaker"
    outputs: tuple[TensorSpec, ...] = (_NUMBER,)


class EngineKernel:
    """One kernel; it keeps the library with its sessions alive."""

    workspace = 0

    def __init__(self, library: EngineLibrary, function: FuncOp, spec: KernelSpec):
        self.library, self.function, self.spec = library, function, spec
        weights = _weights(function, spec)
        self.inputs_left = tuple(i for i in range(len(spec.inputs)) if i not in weights)
        """The inputs of `spec` that are passed, by index; then comes the session."""
        used = Recipe(self.digest, tuple(range(len(weights))))
        maker = SessionMaker(self, weights)
        self.prepared = EnginePreparation(weights, (used,), maker)

    @cached_property
    def digest(self) -> str:
        """Of what is computed, by which engine, with which options."""
        model = model_of(self.function, {}, self.library.engine.reader)
        how = f"{self.library.engine.key}\0{_weights(self.function, self.spec)}\0"
        return sha256(how.encode() + model.data).hexdigest()

    @property
    def inputs(self) -> list[TensorSpec | ScalarSpec]:
        """The inputs that are no weights."""
        return [self.spec.inputs[i] for i in self.inputs_left]

    def bind(self, *arguments: float) -> "EngineBound":
        """Lay out arguments; the ones left out at the end are stored later."""
        bound = EngineBound(self)
        for index, value in enumerate(arguments):
            bound.store(index, value)
        return bound

    def launch(self, *arguments: float) -> None:
        """Run once. ValueError: the number of arguments is wrong."""
        count = len(self.inputs_left) + 1 + len(self.spec.outputs)
        if len(arguments) != count:
            given = len(arguments)
            raise ValueError(f"@{self.spec.name} takes {count} arguments, not {given}")
        self.bind(*arguments)()


class EngineBound:
    """A kernel's arguments in 8-byte slots, and the call of the engine on them."""

    def __init__(self, kernel: EngineKernel):
        self._kernel = kernel
        self._place = len(kernel.inputs_left)
        self._slots = (ctypes.c_int64 * (self._place + 1 + len(kernel.spec.outputs)))()
        self._start = ctypes.addressof(self._slots)
        self._changed = set(range(len(self._slots)))
        self._floats = {
            i for i, one in enumerate(kernel.inputs) if one == ScalarSpec("float")
        }
        self._numbers = {
            i for i, one in enumerate(kernel.inputs) if isinstance(one, ScalarSpec)
        }
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
        """Run the kernel on the arguments last stored. EngineError."""
        number = ctypes.c_int64.from_address(self._slots[self._place]).value
        try:
            if self._call is None or number != self._number:
                self._call, self._number = session_of(number).call(), number
                self._changed = set(range(len(self._slots)))
            for index in self._changed:
                if index in self._numbers:
                    self._call.store(index, self._start + 8 * index)
                elif index != self._place:
                    place = index - (index > self._place)
                    self._call.store(place, self._slots[index])
            self._changed.clear()
            self._call()
        except Exception as error:
            raise engine_error(self._kernel, error) from error


class SessionMaker:
    """Makes the session of a kernel: it takes the weights, and fills in a number."""

    prepared = None
    workspace = 0

    def __init__(self, kernel: EngineKernel, weights: tuple[int, ...]):
        self._kernel = weakref.proxy(kernel)
        self._weights = weights
        spec = kernel.spec
        inputs = tuple(spec.inputs[i] for i in weights)
        self.spec = KernelSpec(
            f"{spec.name}_prepare", inputs, (_NUMBER,), spec.location
        )
        self.inputs_left = tuple(range(len(weights)))

    def bind(self, *arguments: float) -> "BoundMaker":
        """Lay out the addresses of the weights, and of the number."""
        bound = BoundMaker(self, len(self._weights) + 1)
        for index, value in enumerate(arguments):
            bound.store(index, value)
        return bound

    def launch(self, *arguments: float) -> None:
        """Run once."""
        self.bind(*arguments)()

    def make(self, addresses: Sequence[int]) -> None:
        """Make the session. EngineError."""
        kernel: EngineKernel = self._kernel
        engine = kernel.library.engine
        weights = {
            index: _array(address, spec)
            for index, address, spec in zip(
                self._weights, addresses[:-1], self.spec.inputs, strict=True
            )
        }
        try:
            model = model_of(kernel.function, weights, engine.reader)
            session = engine.session(model, kernel.inputs, kernel.spec.outputs)
        except Exception as error:
            raise engine_error(kernel, error) from error
        number = keep(session)
        kernel.library.numbers.append(number)
        ctypes.c_int64.from_address(addresses[-1]).value = number


class BoundMaker:
    """The addresses of weights, and of the number of the session."""

    def __init__(self, maker: SessionMaker, count: int):
        self._maker, self._addresses = maker, [0] * count

    def store(self, index: int, value: float) -> None:
        """Set an address."""
        self._addresses[index] = int(value)

    def __call__(self) -> None:
        """Make the session. EngineError."""
        self._maker.make(self._addresses)


def engine_error(kernel: EngineKernel, error: Exception) -> EngineError:
    """What an engine has raised, at the user's line."""
    said = str(error).strip().splitlines() or [type(error).__name__]
    title = kernel.library.engine.title
    return EngineError(title, said[-1].strip(), kernel.spec.location)


def _weights(function: FuncOp, spec: KernelSpec) -> tuple[int, ...]:
    """The inputs that are weights, by index."""
    attributes = function.arg_attrs
    if attributes is None:
        return ()
    return tuple(
        i
        for i, entry in enumerate(attributes)
        if WEIGHT in entry.data and isinstance(spec.inputs[i], TensorSpec)
    )


def _array(address: int, spec: TensorSpec | ScalarSpec) -> Array:
    """The memory of a weight as an array."""
    assert isinstance(spec, TensorSpec)
    memory: Any = (ctypes.c_char * spec.nbytes).from_address(address)
    return np.frombuffer(memory, numpy_dtype(spec.dtype)).reshape(spec.shape)
