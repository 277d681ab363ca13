"""A graph in the making: nodes, constants, and the dtypes that are handed over."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation

from dycl.kernels.onnx.table import CAREFUL, Reader, Unfit, Value
from dycl.kernels.specs import TensorSpec, input_spec
from dycl.runtime.engines import protobuf

_DTYPES = ("float32", "int64", "int32", "bool")
"""Engines compute few ops in any other."""


class Graph:
    """A graph that is being written; the functions of the table add to it."""

    def __init__(self, reader: Reader):
        self._wrong = reader.wrong
        self.nodes: list[bytes] = []
        self.initializers: list[bytes] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], Value] = {}
        self._count = 0

    def add(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        dtype: str,
        shape: Sequence[int],
        **attributes: protobuf.Attribute,
    ) -> Value:
        """A node with one result, of that dtype and shape; or what stands for it, if
        the engine makes something else of such a node."""
        if kind in self._wrong:
            return CAREFUL[kind](self, inputs, dtype, shape, **attributes)
        return self.add_as_is(kind, inputs, dtype, shape, **attributes)

    def add_as_is(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        dtype: str,
        shape: Sequence[int],
        **attributes: protobuf.Attribute,
    ) -> Value:
        """A node of this kind, whatever the engine makes of it."""
        return self.add_many(kind, inputs, [(dtype, shape)], **attributes)[0]

    def add_many(
        self,
        kind: str,
        inputs: Sequence[Value | None],
        results: Sequence[tuple[str, Sequence[int]]],
        **attributes: protobuf.Attribute,
    ) -> list[Value]:
        """A node with several results."""
        values = [Value(self._fresh(), d, tuple(shape)) for d, shape in results]
        names = ["" if value is None else value.name for value in inputs]
        outputs = [value.name for value in values]
        name = f"n{len(self.nodes)}"
        self.nodes.append(protobuf.node(kind, names, outputs, name, attributes))
        return values

    def constant(self, array: Any, dtype: str | None = None) -> Value:
        """An initializer; equal ones are one."""
        data = np.ascontiguousarray(np.asarray(array, dtype))
        data = data.reshape(np.shape(array))
        key = data.dtype.name, data.shape, data.tobytes()
        if key not in self._constants:
            value = Value(self._fresh("c"), data.dtype.name, data.shape)
            self.initializers.append(protobuf.tensor(value.name, data))
            self._constants[key] = value
        return self._constants[key]

    def ints(self, values: Sequence[int]) -> Value:
        """A list of sizes or indices."""
        return self.constant(np.array(values, np.int64))

    def cast(self, value: Value, dtype: str) -> Value:
        """The elements as another dtype."""
        if value.dtype == dtype:
            return value
        return self.add(
            "Cast", [value], dtype, value.shape, to=protobuf.ELEMENTS[dtype]
        )

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        """The same elements in another shape."""
        if value.shape == tuple(shape):
            return value
        return self.add("Reshape", [value, self.ints(shape)], value.dtype, shape)

    def _fresh(self, prefix: str = "v") -> str:
        self._count += 1
        return f"{prefix}{self._count}"


def tensor_spec(kind: Attribute) -> TensorSpec:
    """The spec of a type. Unfit: an engine is not given such a value."""
    try:
        spec = input_spec(str(kind))
    except ValueError:
        raise Unfit(f"{kind} is no tensor that engines take") from None
    if not isinstance(spec, TensorSpec):
        raise Unfit("it takes or makes a number that a run decides")
    if spec.open_dims:
        raise Unfit("a size is known at run time only")
    if 0 in spec.shape:
        raise Unfit("a tensor has no elements")
    if spec.dtype not in _DTYPES:
        raise Unfit(f"its elements are {spec.dtype}")
    return spec


def result_spec(op: Operation, index: int = 0) -> TensorSpec:
    """Dtype and shape of a result. Unfit: it has no form in ONNX."""
    return tensor_spec(op.results[index].type)
