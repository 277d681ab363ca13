"""A kernel as an ONNX model: every op by the function that the table has for it.

Weights are inputs of the graph, or initializers that it lacks until their values are
known: the same graph is written in both cases.
"""

from collections.abc import Collection, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.ir.host.layouts import given_blocks
from dycl.ir.torch import (
    ConstantOp,
    DerefineOp,
    ListConstructOp,
    TensorStaticInfoCastOp,
    VTensorLiteralOp,
)
from dycl.ir.values import TensorConstant, from_attr
from dycl.kernels.onnx import (
    careful,
    contractions,
    elementwise,
    reductions,
    shapes,
)
from dycl.kernels.onnx.building import Graph, tensor_spec
from dycl.kernels.onnx.table import BASE, TABLE, UNUSED, Reader, Unfit, Value
from dycl.kernels.specs import TensorSpec
from dycl.runtime.engines import OnnxModel, protobuf

_TOPICS = (careful, contractions, elementwise, reductions, shapes)
"""They fill the tables when they are imported."""

assert all(topic.__doc__ for topic in _TOPICS)


_UNPACK = "torch.prim.ListUnpack"
_NUMBERS = {
    "!torch.int": TensorSpec((), "int64"),
    "!torch.float": TensorSpec((), "float64"),
    "!torch.bool": TensorSpec((), "bool"),
}


def reason_against(kernel: FuncOp, reader: Reader) -> tuple[Operation, str] | None:
    """The first op that an engine cannot take that reads so much, and why; or None."""
    try:
        _Writer(kernel, reader).write(kernel)
    except _AtOp as found:
        return found.op, found.why
    return None


def model_of(
    kernel: FuncOp, reader: Reader, weights: Collection[int] = ()
) -> OnnxModel:
    """The model of a kernel. `weights`: inputs that will be initializers, by index.

    Unfit: it has an op that the table lacks, or that a later opset has.
    """
    try:
        return _Writer(kernel, reader, weights).write(kernel)
    except _AtOp as found:
        raise Unfit(found.why) from found


def model_of_op(op: Operation, reader: Reader) -> OnnxModel:
    """The model of one op alone, whose tensors are inputs. Unfit: there is none."""
    try:
        return _Writer(op, reader).write_alone(op)
    except _AtOp as found:
        raise Unfit(found.why) from found


class _AtOp(Exception):
    def __init__(self, op: Operation, why: str):
        super().__init__(why)
        self.op, self.why = op, why


class _Writer:
    def __init__(
        self, subject: Operation, reader: Reader, weights: Collection[int] = ()
    ):
        """`subject`: a kernel, or an op alone."""
        self.subject, self.weights, self.reader = subject, weights, reader
        self.graph = Graph(reader)
        self.values: dict[SSAValue, Any] = {}
        self.needed = BASE

    def write(self, kernel: FuncOp) -> OnnxModel:
        """The model of a kernel. _AtOp: it cannot be written."""
        attributes = [*(kernel.arg_attrs or ()), *(kernel.res_attrs or ())]
        if any(given_blocks(item) is not None for item in attributes):
            raise _AtOp(kernel, "its memory is in blocks of channels")
        inputs: list[Value] = []
        for index, argument in enumerate(kernel.body.block.args):
            value = self._input(kernel, f"in{index}", argument.type)
            if index not in self.weights:
                inputs.append(value)
            self.values[argument] = value
        outputs: list[Value] = []
        for op in kernel.body.block.ops:
            if isinstance(op, ReturnOp):
                outputs = [self._result(op, self.values[v]) for v in op.operands]
            else:
                self._op(op)
        return self._model(inputs, outputs)

    def write_alone(self, op: Operation) -> OnnxModel:
        """The model of one op: its tensors, and those in its lists, are inputs."""
        inputs: list[Value] = []
        todo = list(op.operands)
        while todo:
            operand = todo.pop()
            owner = operand.owner
            if isinstance(owner, ConstantOp | VTensorLiteralOp):
                self._op(owner)
            elif isinstance(owner, ListConstructOp):
                todo += owner.operands
            elif operand not in self.values and "list" not in str(operand.type):
                value = self._input(op, f"in{len(inputs)}", operand.type)
                inputs.append(value)
                self.values[operand] = value
        for operand in op.operands:
            if isinstance(operand.owner, ListConstructOp):
                self._op(operand.owner)
        if op.name == _UNPACK:  # What has made the list is asked about that.
            specs = [_spec(op, result.type) for result in op.results]
            outputs = [self.graph.constant(np.zeros(s.shape, s.dtype)) for s in specs]
            return self._model([], outputs)
        self._op(op)
        results = [self.values[value] for value in op.results]
        flat = [v for one in results for v in (one if isinstance(one, list) else [one])]
        outputs = [self._result(op, v) for v in flat if v.name != UNUSED]
        return self._model(inputs, outputs)

    def _input(self, at: Operation, name: str, kind: Attribute) -> Value:
        """A value that is passed: a tensor, or a number."""
        number = _NUMBERS.get(str(kind))
        spec = number or _spec(at, kind)
        return Value(name, spec.dtype, spec.shape, number is not None)

    def _model(self, inputs: Sequence[Value], outputs: Sequence[Value]) -> OnnxModel:
        graph = self.graph
        if self.needed > self.reader.opset:
            raise _AtOp(self.subject, f"it needs opset {self.needed} of ONNX")
        return OnnxModel(
            protobuf.graph(
                "kernel",
                graph.nodes,
                graph.initializers,
                [protobuf.value(v.name, v.dtype, v.shape) for v in inputs],
                [protobuf.value(v.name, v.dtype, v.shape) for v in outputs],
            ),
            self.needed,
            tuple(v.name for v in inputs),
            tuple(v.name for v in outputs),
        )

    def _result(self, op: Operation, value: object) -> Value:
        """What is returned, under a name of its own: an output is no input."""
        if not isinstance(value, Value) or value.is_number:
            raise _AtOp(op, "it returns a number")
        return self.graph.add("Identity", [value], value.dtype, value.shape)

    def _op(self, op: Operation) -> None:
        operands = [self.values[value] for value in op.operands]
        results: Any
        match op:
            case ConstantOp():
                results = [op.python_value()]
            case ListConstructOp():
                results = [operands]
            case DerefineOp() | TensorStaticInfoCastOp():
                results = operands
            case VTensorLiteralOp():
                results = [self._literal(op)]
            case _ if op.name == _UNPACK:
                (results,) = operands
            case _:
                results = self._by_table(op, operands)
        for result, value in zip(op.results, results, strict=True):
            self.values[result] = value

    def _literal(self, op: VTensorLiteralOp) -> Value:
        if not isinstance(op.value, DenseIntOrFPElementsAttr):
            raise _AtOp(op, "its data is not in the program")
        spec = _spec(op, op.results[0].type)
        array = np.array(cast(TensorConstant, from_attr(op.value)).data, spec.dtype)
        if array.size == 1:  # One number may stand for all elements.
            array = np.full(spec.shape, array.reshape(-1)[0], spec.dtype)
        return self.graph.constant(array.reshape(spec.shape))

    def _by_table(self, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        row = TABLE.get(op.name)
        if row is None:
            raise _AtOp(op, f"`{op.name.removeprefix('torch.')}` is not in the table")
        types = [_spec(op, r.type) for r in op.results if "list" not in str(r.type)]
        self.needed = max(self.needed, row.opset)
        try:
            written = row.write(self.graph, op, *operands)
        except Unfit as unfit:
            what = op.name.removeprefix("torch.")
            raise _AtOp(op, f"`{what}`: {unfit}") from unfit
        results = [written] if isinstance(written, Value) else list(written)
        if len(types) < len(op.results):
            return [results]
        for result, spec in zip(results, types, strict=True):
            if (result.dtype, result.shape) != (spec.dtype, spec.shape):
                raise _AtOp(op, f"it would be {result.dtype}{list(result.shape)}")
        return results


def _spec(op: Operation, kind: Attribute) -> TensorSpec:
    try:
        return tensor_spec(kind)
    except Unfit as unfit:
        raise _AtOp(op, str(unfit)) from unfit
