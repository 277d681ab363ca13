"""OpenVINO as an engine."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dycl.kernels.engines.backend import EngineBackend, missing
from dycl.kernels.onnx import OnnxModel, Reader
from dycl.kernels.specs import ScalarSpec, TensorSpec

_OLDEST = (2025, 0)
"""The first release that the table was tested with."""
_WRONG = frozenset(
    (
        *("Cast", "Clip", "Div", "Exp", "Greater", "GreaterOrEqual", "LogSoftmax"),
        *("ReduceMax", "ReduceMin", "Relu", "Softmax"),
    )
)
"""It makes numbers of NaN, or infinities of numbers, in these."""
_DTYPES = {"int": np.int64, "float": np.float64, "bool": np.bool_}


@dataclass(frozen=True)
class OpenVinoBackend(EngineBackend):
    """Kernels that OpenVINO runs."""

    @cached_property
    def engine(self) -> "OpenVino":
        """OpenVINO. PassFailed (DY292): it is not installed, or too old."""
        return OpenVino(self.threads)


class OpenVino:
    """OpenVINO's CPU plug-in, with a number of threads for each session."""

    name = "openvino"
    title = "OpenVINO"
    reader = Reader(17, _WRONG)

    def __init__(self, threads: int):
        try:
            import openvino
        except ImportError as error:
            raise missing(self.title, self.name, str(error)) from error
        self._module: Any = openvino
        version = str(openvino.__version__).partition("-")[0]
        if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST:
            oldest = ".".join(map(str, _OLDEST))
            why = f"it is {version}, and {oldest} is the first that will do"
            raise missing(self.title, self.name, why)
        self._core: Any = openvino.Core()
        # By default it may round to bf16, where the processor multiplies that faster.
        self._options = {
            "INFERENCE_PRECISION_HINT": "f32",
            "EXECUTION_MODE_HINT": "ACCURACY",
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "ENABLE_CPU_PINNING": False,
        }
        self.key = f"{self.name} {version} {threads}"

    def _compiled(self, model: OnnxModel) -> Any:
        read = self._core.read_model(model.data)
        return self._core.compile_model(read, "CPU", self._options)

    def why_not(self, model: OnnxModel) -> str:
        """What it says against a model; "": nothing."""
        try:
            self._core.read_model(model.data)
        except Exception as error:
            return (str(error).strip().splitlines() or ["it gives no reason"])[-1]
        return ""

    def session(
        self,
        model: OnnxModel,
        inputs: Sequence[TensorSpec | ScalarSpec],
        outputs: Sequence[TensorSpec],
    ) -> "_Session":
        """Load a model. Any exception: OpenVINO's own."""
        kinds = [*map(_kind, inputs), *map(_kind, outputs)]
        tensor = self._module.Tensor
        return _Session(self._compiled(model), tensor, kinds, len(inputs))


_Kind = tuple[Any, tuple[int, ...]]
"""A NumPy dtype, and a shape."""


class _Session:
    def __init__(self, compiled: Any, tensor: Any, kinds: Sequence[_Kind], count: int):
        self._compiled, self._tensor = compiled, tensor
        self._kinds, self._count = kinds, count

    def call(self) -> "_Call":
        """A call for one thread."""
        request = self._compiled.create_infer_request()
        return _Call(request, self._tensor, self._kinds, self._count)


class _Call:
    def __init__(self, request: Any, tensor: Any, kinds: Sequence[_Kind], count: int):
        self._request, self._tensor = request, tensor
        self._kinds, self._count = kinds, count

    def store(self, index: int, address: int) -> None:
        """Where argument `index` lies: inputs first, then outputs."""
        dtype, shape = self._kinds[index]
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        memory: Any = (ctypes.c_char * size).from_address(address)
        array = np.frombuffer(memory, dtype).reshape(shape)
        tensor = self._tensor(array, shared_memory=True)
        if index < self._count:
            self._request.set_input_tensor(index, tensor)
        else:
            self._request.set_output_tensor(index - self._count, tensor)

    def __call__(self) -> None:
        """Run. Any exception: OpenVINO's own."""
        self._request.infer()


def _kind(spec: TensorSpec | ScalarSpec) -> _Kind:
    if isinstance(spec, ScalarSpec):
        return _DTYPES[spec.kind], ()
    return np.dtype(spec.dtype).type, spec.shape
