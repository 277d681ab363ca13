"""`cpu-split-weights`: what depends on weights alone is computed once, not per call.

It moves to a function of its own, which is run once for each set of weights and fills
buffers; the kernel takes the buffers instead (see `dycl.kernels.specs`).

Before:
    func.func @k(%x, %w) attributes {dycl.weights = array<i64: 1>} {
      %wb = linalg.pack %w ...
      %y = linalg.generic {dycl.nest = "conv"} ins(%x, %wb)

After:
    func.func @k(%x, %wb) attributes {dycl.inputs_left = array<i64: 0>} {
      %y = linalg.generic {dycl.nest = "conv"} ins(%x, %wb)
    func.func @k_prepare(%w) -> %wb attributes {dycl.prepares = array<i64: 1>} {
      %wb = linalg.pack %w ...

Needs:  linalg on tensors, `dycl.weights` on functions (`note_weights`); to stand before
        elementwise fusion, which would take arithmetic on weights into loops.
Leaves: weights that are used as they are stay arguments. A reshape of a buffer costs
        nothing and stays in the kernel.
Skips:  functions with nothing to compute from weights, or from constants by sines and
        the like; a kernel if there is one with the name that its preparation would
        have.
"""

from typing import Any

from dycl.kernels.cpu.mlir import functions, ir, ops, set_signature
from dycl.kernels.cpu.weights.origins import WEIGHTS, WeightValues, outside_values
from dycl.kernels.cpu.weights.recipes import recipes
from dycl.kernels.specs import PreparationSpec, TensorSpec, preparation_name

LEFT = "dycl.inputs_left"
"""On a kernel: the inputs of the user's kernel that it still takes."""
PREPARES = "dycl.prepares"
"""On a function that prepares weights: the inputs of the user's kernel it takes."""
_RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")


def split_weights(module: Any) -> None:
    """Split every function of `module` that has weights."""
    names = {_name(func) for func in functions(module)}
    for func in functions(module):
        if preparation_name(_name(func)) not in names:
            with func.location:
                split_function(func)


def preparations(module: Any) -> dict[str, PreparationSpec]:
    """By kernel, what `split_weights` has split off; the module is on tensors yet."""
    by_name = {_name(func): func for func in functions(module)}
    specs: dict[str, PreparationSpec] = {}
    for name, func in by_name.items():
        prepare = by_name.get(preparation_name(name))
        if prepare is None or PREPARES not in prepare.attributes:
            continue
        results = prepare.attributes["function_type"].value.results
        specs[name] = PreparationSpec(
            tuple(prepare.attributes[PREPARES]),
            tuple(_spec(result) for result in results),
            tuple(func.attributes[LEFT]),
            recipes(prepare),
        )
    return specs


def split_function(func: Any) -> None:
    """Split one function that has weights."""
    weights = WeightValues(func)
    block = weights.block
    body = [op.operation for op in block.operations]
    ops = [op for op in body if not _is_weight(op, weights)]
    buffers = list(
        dict.fromkeys(
            source
            for op in ops
            for value in outside_values(op)
            if value in weights and (source := _source(value)) not in weights.arguments
        )
    )
    if not buffers:
        return
    numbers = _make_prepare(func, weights, body, buffers)
    _reshape_in_kernel(ops, weights)
    for value in buffers:
        value.replace_all_uses_with(block.add_argument(value.type, func.location))
    for op in reversed(body):
        if op not in ops and not any(len(list(r.uses)) for r in op.results):
            op.erase()
    left: list[int] = []
    for index in reversed(range(len(block.arguments) - len(buffers))):
        if index in numbers and not list(block.arguments[index].uses):
            block.erase_argument(index)
        else:
            left.insert(0, index)
    set_signature(func)
    func.attributes[LEFT] = ir.DenseI64ArrayAttr.get(left)
    for name in (WEIGHTS, "arg_attrs"):
        if name in func.attributes:
            del func.attributes[name]


def _make_prepare(
    func: Any, weights: WeightValues, body: list[Any], buffers: list[Any]
) -> list[int]:
    """The function that computes `buffers`; the numbers of the weights it takes."""
    needed = _needed(buffers)
    arguments = list(weights.block.arguments)
    numbers = [i for i, value in enumerate(arguments) if value in needed]
    prepare = func.clone(ir.InsertionPoint.after(func))
    prepare = prepare.operation
    block = prepare.regions[0].blocks[0]
    copies = [op.operation for op in block.operations]
    # The clone has the same ops in the same order: what is not needed goes.
    place = {op: index for index, op in enumerate(body)}
    results = [
        copies[place[v.owner.operation]].results[v.result_number] for v in buffers
    ]
    copies[-1].erase()
    with ir.InsertionPoint(block):
        ir.Operation.create("func.return", operands=results)
    for op, copy in reversed(list(zip(body[:-1], copies[:-1], strict=True))):
        if not any(result in needed for result in op.results):
            copy.erase()
    for index in reversed(range(len(arguments))):
        if index not in numbers:
            block.erase_argument(index)
    prepare.attributes["sym_name"] = ir.StringAttr.get(preparation_name(_name(func)))
    set_signature(prepare, [value.type for value in buffers])
    prepare.attributes[PREPARES] = ir.DenseI64ArrayAttr.get(numbers)
    for name in (WEIGHTS, "arg_attrs", "res_attrs"):
        if name in prepare.attributes:
            del prepare.attributes[name]
    return numbers


def _needed(values: list[Any]) -> set[Any]:
    """All values that `values` are computed from, and they themselves."""
    result: set[Any] = set()
    todo = list(values)
    while todo:
        value = todo.pop()
        if value in result:
            continue
        result.add(value)
        if not isinstance(value.owner, ir.Block):
            todo += outside_values(value.owner.operation)
    return result


def _reshape_in_kernel(kept: list[Any], weights: WeightValues) -> None:
    """Where the kernel reads a reshaped buffer, let it reshape the buffer itself."""
    for op in kept:
        for inner in ops(op):
            for index, value in enumerate(inner.operands):
                if value in weights and _source(value) != value:
                    with ir.InsertionPoint(op), op.location:
                        inner.operands[index] = _reshaped(value)


def _reshaped(value: Any) -> Any:
    if isinstance(value.owner, ir.Block) or value.owner.name not in _RESHAPES:
        return value
    source = _reshaped(value.owner.operands[0])
    copy = value.owner.operation.clone().operation
    copy.operands[0] = source
    return copy.results[0]


def _source(value: Any) -> Any:
    """What a value is a mere reshape of."""
    if isinstance(value.owner, ir.Block) or value.owner.name not in _RESHAPES:
        return value
    return _source(value.owner.operands[0])


def _is_weight(op: Any, weights: WeightValues) -> bool:
    return len(op.results) > 0 and all(result in weights for result in op.results)


def _name(func: Any) -> str:
    return str(func.attributes["sym_name"].value)


_DTYPES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "bf16": "bfloat16",
    "i64": "int64",
    "i32": "int32",
    "i16": "int16",
    "i8": "int8",
    "i1": "bool",
}


def _spec(kind: Any) -> TensorSpec:
    return TensorSpec(tuple(kind.shape), _DTYPES[str(kind.element_type)])
