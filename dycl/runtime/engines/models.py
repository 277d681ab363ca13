"""Kernels as engines read them, which are given their weights when these are known."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union

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

    def entry(self) -> dict[str, Any]:
        """What `model_of_entry` reads."""
        return {
            "opset": self.opset,
            "names": [self.inputs, self.outputs],
            "graph": base64.b64encode(self.graph).decode(),
        }


@dataclass(frozen=True)
class IreeModel:
    """A kernel that IREE has compiled, for a kind of processor."""

    code: bytes
    """A module of IREE's virtual machine, with a function `kernel`."""
    weights: Mapping[str, Array] = field(default_factory=dict[str, Array])
    """The parameters of the module, by name."""

    def with_weights(self, weights: Mapping[str, Array]) -> IreeModel:
        """The same with these parameters: the code need not be compiled again."""
        return IreeModel(self.code, {**self.weights, **weights})

    def entry(self) -> dict[str, Any]:
        """What `model_of_entry` reads."""
        return {"module": base64.b64encode(self.code).decode()}


Model = Union[OnnxModel, IreeModel]
"""A kernel for an engine; which of them an engine reads is its own."""


def model_of_entry(entry: Mapping[str, Any]) -> Model:
    """The model that `entry` gave. LookupError, TypeError, ValueError: it is none."""
    if "module" in entry:
        return IreeModel(base64.b64decode(entry["module"]))
    names, graph = entry["names"], base64.b64decode(entry["graph"])
    return OnnxModel(graph, entry["opset"], tuple(names[0]), tuple(names[1]))
