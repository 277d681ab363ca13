"""The backend of OpenVINO."""

from dataclasses import dataclass
from typing import ClassVar

from dycl.kernels.engines import OnnxBackend
from dycl.kernels.onnx import Reader

_WRONG = frozenset(
    (
        *("Cast", "Clip", "Div", "Exp", "Greater", "GreaterOrEqual", "LogSoftmax"),
        *("ReduceMax", "ReduceMin", "Relu", "Softmax"),
    )
)
"""It makes numbers of NaN, or infinities of numbers, in these."""


@dataclass(frozen=True)
class OpenVinoBackend(OnnxBackend):
    """Kernels that OpenVINO runs."""

    ENGINE: ClassVar[str] = "openvino"
    READER: ClassVar[Reader] = Reader(17, _WRONG)
