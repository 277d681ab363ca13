"""The backend of ONNX Runtime."""

from dataclasses import dataclass
from typing import ClassVar

from dycl.kernels.engines import OnnxBackend
from dycl.kernels.onnx import Reader


@dataclass(frozen=True)
class OnnxRuntimeBackend(OnnxBackend):
    """Kernels that ONNX Runtime runs."""

    ENGINE: ClassVar[str] = "onnxruntime"
    READER: ClassVar[Reader] = Reader(17)
