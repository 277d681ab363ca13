"""Sessions of engines: a kernel with its weights, in this process.

What is prepared of a kernel's weights is one number: that of its session. Hosts keep
it as they keep weights laid out anew, and pass it to the kernel, which looks it up.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from dycl.runtime.engines.models import OnnxModel


class EngineMissing(RuntimeError):
    """An engine is not installed, or too old; the text says what to do."""

    code = "DY292"

    def __init__(self, title: str, name: str, why: str):
        super().__init__(
            f"the backend '{name}' needs {title}: {why}; pip install 'dycl[{name}]'"
        )
        self.title, self.name, self.why = title, name, why

    def __str__(self) -> str:
        """The sentence, and the code to look up."""
        return f"{super().__str__()} ({self.code})"


class EngineFailed(RuntimeError):
    """An engine cannot run a kernel that it has taken."""

    code = "DY505"

    def __str__(self) -> str:
        """The sentence, and the code to look up."""
        return f"{super().__str__()} ({self.code})"


class Place(NamedTuple):
    """What lies at an address: a tensor, or a number of the host."""

    dtype: str
    shape: tuple[int, ...]
    is_number: bool = False


class Call(Protocol):
    """A session for one thread, with its arguments laid out."""

    def store(self, index: int, address: int) -> None:
        """Where argument `index` lies: inputs first, then outputs."""
        ...

    def __call__(self) -> None:
        """Run. Any exception: the engine's own."""
        ...


class Session(Protocol):
    """A model that an engine has loaded; threads may share it."""

    def call(self) -> Call:
        """A call for one thread."""
        ...


class Engine(Protocol):
    """An engine of others, with its options."""

    name: str
    """What the backend is called."""
    title: str
    """What people call it."""
    key: str
    """Its version and options: what decides a session besides the model."""

    def session(
        self, model: Any, inputs: Sequence[Place], outputs: Sequence[Place]
    ) -> Session:
        """Load a model of the kind that it reads. Any exception: the engine's own."""
        ...


class OnnxEngine(Engine, Protocol):
    """An engine that reads ONNX."""

    def why_not(self, model: OnnxModel) -> str:
        """What it says against a model; "": nothing."""
        ...


_ENGINES = {
    "iree": "dycl.runtime.engines.iree:Iree",
    "onnxruntime": "dycl.runtime.engines.onnxruntime:OnnxRuntime",
    "openvino": "dycl.runtime.engines.openvino:OpenVino",
}
"""Name -> the class of the engine, which is made for a number of threads."""
ENGINES = tuple(_ENGINES)
"""All names."""


def engine_of(name: str, threads: int) -> Engine:
    """The engine of this name. EngineMissing: it is not installed, or too old."""
    module, cls = _ENGINES[name].split(":")
    make: Callable[[int], Engine] = getattr(import_module(module), cls)
    return make(threads)


def check_version(title: str, name: str, version: str, oldest: tuple[int, int]) -> None:
    """EngineMissing: the version of an engine is below the oldest that will do, or is
    none that can be compared."""
    wanted = ".".join(map(str, oldest))
    try:
        is_old = tuple(int(part) for part in version.split(".")[:2]) < oldest
    except ValueError:
        why = f"its version is {version!r}, and it has to be {wanted} or newer"
        raise EngineMissing(title, name, why) from None
    if is_old:
        why = f"it is {version}, and {wanted} is the first that will do"
        raise EngineMissing(title, name, why)


_sessions: dict[int, Session] = {}
_numbers = itertools.count(1)


def keep(session: Session) -> int:
    """The number by which a session is found in this process."""
    number = next(_numbers)
    _sessions[number] = session
    return number


def forget(numbers: Sequence[int]) -> None:
    """Drop sessions that no kernel will ask for."""
    for number in numbers:
        _sessions.pop(number, None)


def session_of(number: int) -> Session:
    """The session with this number. KeyError: there is none."""
    return _sessions[number]
