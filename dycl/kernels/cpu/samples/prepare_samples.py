"""`cpu-prepare-samples`: the weights of a kernel of one sample are prepared outside.

What such a kernel makes of weights alone moves to where it is called, so that
`cpu-split-weights` finds it there as it does in any kernel.

Before:
    func.func @k(%x, %w) {
      %y = linalg.generic {dycl.sample_of = @k.sample.0} ins(%x, %w)
    func.func @k.sample.0(%x, %w) {
      %wb = linalg.pack %w ...
      %y = linalg.generic {dycl.nest = "conv"} ins(%x, %wb)

After:
    func.func @k(%x, %w) {
      %wb = linalg.pack %w ...
      %y = linalg.generic {dycl.sample_of = @k.sample.0} ins(%x, %wb)
    func.func @k.sample.0(%x, %wb) {
      %y = linalg.generic {dycl.nest = "conv"} ins(%x, %wb)

Needs:  `cpu-outline-samples`, weights in the form that nests read; to stand before
        `cpu-split-weights`.
Leaves: no weights that such a kernel prepares.
Skips:  other functions.
"""

from typing import Any

from dycl.kernels.cpu.check import kernel_name
from dycl.kernels.cpu.mlir import functions, ir, ops, run_passes
from dycl.kernels.cpu.samples.marked import (
    DIMS,
    GROUP,
    SAMPLE,
    SAMPLE_OF,
    Which,
    marked,
)
from dycl.kernels.cpu.weights.origins import WEIGHTS
from dycl.kernels.cpu.weights.split_weights import LEFT, PREPARES, split_function
from dycl.kernels.specs import preparation_name


def prepare_samples(module: Any) -> None:
    """Move what each kernel of one sample makes of its weights to its call."""
    for func in functions(module):
        if SAMPLE not in func.attributes or WEIGHTS not in func.attributes:
            continue
        with func.location:
            split_function(func)
        by_name = {kernel_name(one): one for one in functions(module)}
        prepare = by_name.get(preparation_name(kernel_name(func)))
        if prepare is None:
            continue
        for op in ops(module.operation):
            if SAMPLE_OF in op.attributes and op.attributes[
                SAMPLE_OF
            ].value == kernel_name(func):
                with ir.InsertionPoint(op), op.location:
                    _call_prepared(op, list(func.attributes[LEFT]), prepare)
        prepare.erase()
        del func.attributes[LEFT]
    if any(GROUP in op.attributes for op in ops(module.operation)):
        run_passes(module, "cse")  # Groups and single samples want much alike.


def _call_prepared(call: Any, left: list[int], prepare: Any) -> None:
    operands = list(call.operands)
    weights = [operands[i] for i in prepare.attributes[PREPARES]]
    buffers = _repeated(prepare, weights)
    dims = list(call.attributes[DIMS])
    into = len(operands) - len(call.results)
    inputs = [*(operands[i] for i in left), *buffers]
    places = [*(dims[i] for i in left), *([-1] * len(buffers)), *dims[into:]]
    name = call.attributes[SAMPLE_OF].value
    new = marked(name, inputs, operands[into:], places, Which.of(call))
    for old, result in zip(call.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    call.erase()


def _repeated(prepare: Any, weights: list[Any]) -> list[Any]:
    """What a preparation computes, computed here."""
    block = prepare.regions[0].blocks[0]
    new = dict(zip(block.arguments, weights, strict=True))
    *body, end = (op.operation for op in block.operations)
    for op in body:
        copy = op.clone().operation
        for inner in ops(copy):
            for number, value in enumerate(inner.operands):
                if value in new:
                    inner.operands[number] = new[value]
        new |= zip(op.results, copy.results, strict=True)
    return [new[value] for value in end.operands]
