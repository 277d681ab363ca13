"""`cpu-results-to-arguments`: the caller owns every result.

Each result, a scalar as well, is written to a memref argument added at the end. What is
returned may be an argument, a constant, or one value twice.

Before:
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> {
      ...
      return %y

After:
    func.func @k(%x: tensor<4xf32> {bufferization.writable = false, llvm.noalias},
                 %out: memref<4xf32> {llvm.noalias}) {
      ...
      bufferization.materialize_in_destination %y in restrict writable %out
      return

Needs:  linalg on tensors, at the end of what works on tensors.
Leaves: inputs marked read-only, so that bufferisation never writes to weights;
        `dycl.open_results` on functions, for `cpu-pass-sizes`.
Skips:  results of dynamic size: the kernel makes their memory and returns it.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import functions, ir, set_signature
from dycl.kernels.cpu.tensor_ops import alloc_copy, owner

OPEN_RESULTS = "dycl.open_results"
"""On a function: the arguments that stand for the results of dynamic size."""


def results_to_arguments(module: Any) -> None:
    """Turn every function with results into one without."""
    for func in functions(module):
        block = func.regions[0].blocks[0]
        inputs = len(block.arguments)
        operation = list(block.operations)[-1].operation
        returned: list[Any] = []
        places: list[int] = []
        given: list[Any] = []
        with ir.InsertionPoint(operation), func.location:
            for value in list(operation.operands):
                if not isinstance(value.type, ir.RankedTensorType):
                    scalar = ir.RankedTensorType.get([], value.type)
                    value = build.op("tensor.from_elements", [value], scalar)
                if not value.type.has_static_shape:
                    # The kernel makes the memory: see `cpu-pass-sizes`.
                    slots = ir.MemRefType.get(
                        [1 + value.type.rank], ir.IntegerType.get_signless(64)
                    )
                    places.append(len(block.arguments))
                    block.add_argument(slots, func.location)
                    returned.append(_own(value, given))
                    continue
                memory = ir.MemRefType.get(value.type.shape, value.type.element_type)
                ir.Operation.create(
                    "bufferization.materialize_in_destination",
                    operands=[value, block.add_argument(memory, func.location)],
                    attributes={
                        "restrict": ir.UnitAttr.get(),
                        "writable": ir.UnitAttr.get(),
                    },
                )
            ir.Operation.create("func.return", operands=returned)
            operation.erase()
            types = [argument.type for argument in block.arguments]
            set_signature(func, [value.type for value in returned])
            func.attributes[OPEN_RESULTS] = ir.DenseI64ArrayAttr.get(places)
            func.attributes["arg_attrs"] = ir.ArrayAttr.get(
                [_argument_attributes(t, i < inputs) for i, t in enumerate(types)]
            )


def _own(value: Any, given: list[Any]) -> Any:
    """A result of dynamic size in memory of its own: the caller frees each of them.

    `given` are the tensors whose memory is another result already. All of what a kernel
    has made may be seen in another shape.
    """
    root, made_by = value, owner(value)
    is_whole = True
    while made_by is not None and made_by.name in _VIEWS:
        is_whole &= made_by.name in _RESHAPES and not root.type.has_static_shape
        root, made_by = made_by.operands[0], owner(made_by.operands[0])
    is_made = made_by is not None and not root.type.has_static_shape
    if is_made and is_whole and root not in given:
        given.append(root)
        return value
    return alloc_copy(value)


_RESHAPES = ("tensor.collapse_shape", "tensor.expand_shape")
_VIEWS = ("tensor.cast", "tensor.extract_slice", *_RESHAPES)


def _argument_attributes(argument_type: Any, is_input: bool) -> Any:
    if is_input and not isinstance(argument_type, ir.RankedTensorType):
        return ir.DictAttr.get({})
    # The contract: outputs overlap nothing. Inputs may overlap each other, which
    # noalias allows for memory that nobody writes.
    attributes = {"llvm.noalias": ir.UnitAttr.get()}
    if is_input:
        attributes["bufferization.writable"] = ir.BoolAttr.get(False)
    return ir.DictAttr.get(attributes)
