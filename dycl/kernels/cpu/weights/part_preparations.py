"""The preparation of a kernel taken apart: a function for each buffer, by its recipe.

Kernels of a network prepare their weights in the same few ways. What is a function of
its own, under the name of its recipe, is compiled once for all of them.

Before:
    func.func @k_prepare(%w: tensor<4x4xf32>, %b: tensor<4xf32>) {
      %wb = linalg.pack %w ...
      %bb = linalg.pack %b ...
      return %wb, %bb

After, when the kernel is in memref:
    llvm.func @k_prepare(%w: !llvm.ptr, %b: !llvm.ptr, %0: !llvm.ptr, %1: !llvm.ptr) {
      llvm.call @recipe_of_wb(%w, %0)
      llvm.call @recipe_of_bb(%b, %1)

Needs:  `cpu-split-weights`, linalg on tensors.
Leaves: what two buffers are both made of is computed for each of them.
Skips:  a preparation that calls functions, or names globals.
"""

from collections.abc import Mapping
from math import prod
from typing import Any

from dycl.kernels.cpu.check import kernel_name
from dycl.kernels.cpu.mlir import (
    functions,
    ir,
    names_others,
    ops,
    set_signature,
)
from dycl.kernels.cpu.weights.split_weights import PREPARES
from dycl.kernels.specs import PreparationSpec, preparation_name


def take_parts(module: Any, kernel: str, spec: PreparationSpec) -> dict[str, Any]:
    """Take the preparation of a kernel out of its module: by the digest of its recipe,
    a module for each buffer, whose function has the kernel's name.

    Empty: it cannot be taken apart, and is where it was.
    """
    name = preparation_name(kernel)
    [prepare] = [f for f in functions(module) if kernel_name(f) == name]
    if any(map(names_others, ops(prepare)[:-1])):
        return {}
    parts: dict[str, Any] = {}
    with prepare.location:
        for number, recipe in enumerate(spec.recipes):
            if recipe.digest not in parts:
                parts[recipe.digest] = _part(prepare, kernel, number, recipe.weights)
    prepare.erase()
    return parts


def elements_of_parts(module: Any) -> int:
    """How many elements the functions of a module on tensors take and give."""
    kinds = [func.attributes["function_type"].value for func in functions(module)]
    tensors = [kind for one in kinds for kind in (*one.inputs, *one.results)]
    return sum(prod(tensor.shape) for tensor in tensors)


def write_preparation(
    module: Any, kernel: str, spec: PreparationSpec, symbols: Mapping[str, str]
) -> None:
    """The preparation as calls of its parts, which have these symbols, by digest."""
    weights, buffers = len(spec.weights), len(spec.outputs)
    taken = ", ".join(f"%{i}: !llvm.ptr" for i in range(weights + buffers))
    lines: list[str] = []
    declared: dict[str, str] = {}
    for number, recipe in enumerate(spec.recipes):
        values = [*recipe.weights, weights + number]
        kinds = ", ".join(["!llvm.ptr"] * len(values))
        names = ", ".join(f"%{i}" for i in values)
        symbol = symbols[recipe.digest]
        declared[symbol] = f"llvm.func @{symbol}({kinds})"
        lines.append(f"llvm.call @{symbol}({names}) : ({kinds}) -> ()")
    head = f"llvm.func @{preparation_name(kernel)}({taken})"
    function = "\n".join([f"{head} {{", *lines, "llvm.return", "}"])
    with module.context:
        written = ir.Module.parse("\n".join([*declared.values(), function]))
        end = ir.InsertionPoint(module.body)
        for op in written.body.operations:
            op.operation.clone(end)


def _part(prepare: Any, kernel: str, number: int, weights: tuple[int, ...]) -> Any:
    """A module with a function that computes one result, of these arguments."""
    module = ir.Module.create()
    func = prepare.clone(ir.InsertionPoint(module.body)).operation
    func.attributes["sym_name"] = ir.StringAttr.get(kernel)
    func.attributes[PREPARES] = ir.DenseI64ArrayAttr.get(range(len(weights)))
    block = func.regions[0].blocks[0]
    *body, end = (op.operation for op in block.operations)
    result = end.operands[number]
    end.erase()
    with ir.InsertionPoint(block):
        ir.Operation.create("func.return", operands=[result])
    for op in reversed(body):
        if not any(len(list(one.uses)) for one in op.results):
            op.erase()
    before = list(block.arguments)
    for index in weights:
        new = block.add_argument(before[index].type, prepare.location)
        before[index].replace_all_uses_with(new)
    for index in reversed(range(len(before))):
        block.erase_argument(index)
    set_signature(func, [result.type])
    return module
