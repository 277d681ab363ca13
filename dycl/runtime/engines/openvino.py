"""OpenVINO as an engine."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from dycl.runtime.engines.models import OnnxModel
from dycl.runtime.engines.sessions import EngineMissing, Place, check_version

_OLDEST = (2025, 0)
"""The first release that its CPU plug-in's options below are known of."""


class OpenVino:
    """OpenVINO's CPU plug-in, with a number of threads for each session."""

    name = "openvino"
    title = "OpenVINO"

    def __init__(self, threads: int):
        """EngineMissing: it is not installed, or too old."""
        try:
            import openvino  # pyright: ignore[reportMissingImports]
        except ImportError as error:
            raise EngineMissing(self.title, self.name, str(error)) from error
        module: Any = openvino
        version = str(module.__version__).partition("-")[0]
        check_version(self.title, self.name, version, _OLDEST)
        self._core = _core(os.getpid())
        self._tensor: Any = module.Tensor
        # By default it may round to bf16, where the processor multiplies that faster.
        self._options = {
            "INFERENCE_PRECISION_HINT": "f32",
            "EXECUTION_MODE_HINT": "ACCURACY",
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,
        }
        self.key = f"{self.name} {version} {threads}"

    def why_not(self, model: OnnxModel) -> str:
        """What it says against a model; "": nothing."""
        try:
            self._core.read_model(model.data)
        except Exception as error:
            return (str(error).strip().splitlines() or ["it gives no reason"])[-1]
        return ""

    def session(
        self, model: OnnxModel, inputs: Sequence[Place], outputs: Sequence[Place]
    ) -> _Session:
        """Load a model. Any exception: OpenVINO's own."""
        read = self._core.read_model(model.data)
        compiled = self._core.compile_model(read, "CPU", self._options)
        # Inputs that nothing reads are none of what it has made of the model.
        ports = {n: i for i, p in enumerate(compiled.inputs) for n in p.get_names()}
        numbers = [ports.get(name) for name in model.inputs]
        return _Session(compiled, self._tensor, [*inputs, *outputs], numbers)


@cache
def _core(process: int) -> Any:
    """OpenVINO's plug-ins for this process, which end with it.

    As the CPU plug-in begins, it has signals handled on a stack of its own making, and
    as it ends, it frees that stack. Of two that end in the order in which they began,
    the second one leaves the freed stack of the first behind: the next signal, such as
    Ctrl-C, ends the process by SIGSEGV.
    """
    import openvino  # pyright: ignore[reportMissingImports]

    module: Any = openvino
    return module.Core()


class _Session:
    def __init__(
        self,
        compiled: Any,
        tensor: Any,
        places: list[Place],
        numbers: list[int | None],
    ):
        self._compiled, self._tensor = compiled, tensor
        self._places, self._numbers = places, numbers

    def call(self) -> _Call:
        """A call for one thread."""
        request = self._compiled.create_infer_request()
        return _Call(request, self._tensor, self._places, self._numbers)


class _Call:
    def __init__(
        self,
        request: Any,
        tensor: Any,
        places: list[Place],
        numbers: list[int | None],
    ):
        """`numbers`: of its inputs, by ours; None: it has no such input."""
        self._request, self._tensor = request, tensor
        self._places, self._numbers = places, numbers

    def store(self, index: int, address: int) -> None:
        """Where argument `index` lies: inputs first, then outputs."""
        count = len(self._numbers)
        number = self._numbers[index] if index < count else index - count
        if number is None:
            return
        place = self._places[index]
        dtype = np.dtype(place.dtype)
        size = int(np.prod(place.shape, dtype=np.int64)) * dtype.itemsize
        memory: Any = (ctypes.c_char * size).from_address(address)
        array = np.frombuffer(memory, dtype).reshape(place.shape)
        tensor = self._tensor(array, shared_memory=True)
        if index < count:
            self._request.set_input_tensor(number, tensor)
        else:
            self._request.set_output_tensor(number, tensor)

    def __call__(self) -> None:
        """Run. Any exception: OpenVINO's own."""
        self._request.infer()
