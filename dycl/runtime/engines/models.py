"""A kernel in ONNX, which is given its weights when they are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dycl.runtime.buffers import Array
from dycl.runtime.engines import protobuf


@dataclass(frozen=True)
class OnnxModel:
    """A kernel in ONNX."""

    graph: bytes
    """The GraphProto."""
    opset: int
    inputs: tuple[str, ...]
    """What its inputs are called, in the order of the kernel's; weights are none."""
    outputs: tuple[str, ...]
    """What its outputs are called, in the order of the kernel's results."""

    @property
    def data(self) -> bytes:
        """The ModelProto."""
        return protobuf.model(self.graph, self.opset)

    def with_weights(self, weights: Mapping[str, Array]) -> OnnxModel:
        """The same with initializers, by name: a message goes on where it ended."""
        more = [protobuf.initializer(name, array) for name, array in weights.items()]
        graph = b"".join([self.graph, *more])
        return OnnxModel(graph, self.opset, self.inputs, self.outputs)
