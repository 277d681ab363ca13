"""Sessions of engines: a kernel with its weights, in this process.

What is prepared of a kernel's weights is one number: that of its session. Hosts keep
it as they keep weights laid out anew, and pass it to the kernel, which looks it up.
"""

import itertools
from collections.abc import Sequence
from typing import Protocol

from dycl.diag import CodedError, SourceLoc
from dycl.kernels.onnx import OnnxModel, Reader
from dycl.kernels.specs import ScalarSpec, TensorSpec


class EngineError(CodedError):
    """An engine cannot run a kernel that it has taken."""

    def __init__(self, engine: str, said: str, at: SourceLoc | None):
        """`said`: its own words; `at`: the user's line of the kernel."""
        super().__init__(
            "DY505",
            f"{engine} cannot run a kernel: {said}",
            at,
            hint="compile with backend='cpu', which needs no other engine",
        )


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
    reader: Reader
    """What of ONNX this version reads."""
    key: str
    """Its version and options: what decides a session besides the model."""

    def why_not(self, model: OnnxModel) -> str:
        """What it says against a model; "": nothing."""
        ...

    def session(
        self,
        model: OnnxModel,
        inputs: Sequence[TensorSpec | ScalarSpec],
        outputs: Sequence[TensorSpec],
    ) -> Session:
        """Load a model. Any exception: the engine's own."""
        ...


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
