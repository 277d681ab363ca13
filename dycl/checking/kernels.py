"""The compiled kernels of a network, each called by itself with torch's tensors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.dialects.func import FuncOp

from dycl.ir.host.layouts import Blocks, given_blocks
from dycl.kernels import KernelSpec, TensorSpec
from dycl.kernels.reference import in_blocks, in_rows
from dycl.runtime.buffers import Buffer, OpenBuffer, Weight, adopt, allocate
from dycl.runtime.dtypes import array_of_tensor, tensor_of_array
from dycl.runtime.kernels import Argument, make_launch
from dycl.runtime.preparation import Preparations
from dycl.runtime.weight_set import WeightSet, weight_buffer


class CompiledKernels:
    """Runs kernels as a host does, but on tensors in rows, and one at a time."""

    def __init__(
        self,
        table: Any,
        weights: WeightSet,
        functions: Mapping[str, FuncOp],
        specs: Sequence[KernelSpec],
    ):
        """`table`: the kernels by name; `functions` and `specs`: of the program."""
        self._table = table
        self._weights = weights
        self._preparations = Preparations(weights)
        self._specs = {spec.name: spec for spec in specs}
        self._blocks = {
            name: (_blocks(function.arg_attrs), _blocks(function.res_attrs))
            for name, function in functions.items()
        }
        self._bound: dict[str, Weight] = {}

    def run(
        self, name: str, operands: Sequence[Any], params: Mapping[int, str]
    ) -> list[Any]:
        """What kernel `name` computes of tensors and numbers: tensors of its own.

        `params`: the operands that are weights, by identity, with their names.
        KeyError: there is no such kernel.
        """
        spec, (before, after) = self._specs[name], self._blocks[name]
        given = [
            self._argument(operand, blocks, params)
            for operand, blocks in zip(operands, _padded(before, operands), strict=True)
        ]
        kernel = self._table[name]
        outputs = [_output(output) for output in spec.outputs]
        inputs = self._preparations.inputs(name, kernel, given)
        size = getattr(kernel, "workspace", 0)
        own = [allocate("uint8", (size,))] if size else []
        make_launch(kernel, [*inputs, *outputs, *own])()
        return [
            tensor_of_array(in_rows(output.array, blocks).copy())
            for output, blocks in zip(outputs, _padded(after, outputs), strict=True)
        ]

    def _argument(
        self, operand: Any, blocks: Blocks | None, params: Mapping[int, str]
    ) -> Argument:
        if not hasattr(operand, "detach"):
            return operand
        if blocks is None and (path := params.get(id(operand))) is not None:
            return self._weight(path, operand)
        array = array_of_tensor(operand.detach().contiguous())
        return adopt(np.ascontiguousarray(in_blocks(array, blocks)))

    def _weight(self, path: str, tensor: Any) -> Weight:
        """A weight as hosts have it, so that what was made of it beforehand is used."""
        if path not in self._bound:
            dtype = str(tensor.dtype).removeprefix("torch.")
            self._bound[path] = weight_buffer(
                self._weights, path, dtype, tuple(tensor.shape)
            )
        return self._bound[path]


def _output(spec: TensorSpec) -> Buffer:
    if spec.open_dims:
        return OpenBuffer(spec.dtype, len(spec.shape))
    return allocate(spec.dtype, spec.shape)


def _blocks(attributes: ArrayAttr[DictionaryAttr] | None) -> list[Blocks | None]:
    return [] if attributes is None else list(map(given_blocks, attributes))


def _padded(
    blocks: Sequence[Blocks | None], values: Sequence[object]
) -> Sequence[Blocks | None]:
    return blocks or [None] * len(values)
