"""`cpu-lend-workspace`: the kernel of one sample works in memory of its caller's.

One workspace is for all samples, one after the other.

Before:
    func.call @k.sample.0.all(%x, %y, %first, %n)
    func.func private @k.sample.0(%x, %y) {
      %a = memref.alloc() : memref<1024xf32>

After:
    %workspace = memref.alloc() : memref<4096xi8>
    func.call @k.sample.0.all(%x, %y, %workspace, %first, %n)
    memref.dealloc %workspace
    func.func private @k.sample.0(%x, %y, %workspace) {
      %a = memref.view %workspace[0] : memref<4096xi8> to memref<1024xf32>

Needs:  memrefs, every buffer freed; to stand before `cpu-plan-workspace`, which puts
        the workspace into that of the caller.
Leaves: no buffer of a known size in a kernel of one sample.
Skips:  kernels of one sample that need no memory.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.buffers.plan_workspace import WORKSPACE, plan_function
from dycl.kernels.cpu.check import kernel_name
from dycl.kernels.cpu.mlir import callee, functions, ir, ops
from dycl.kernels.cpu.samples.call_samples import ALL, STEPS, declare
from dycl.kernels.cpu.samples.marked import SAMPLE


def lend_workspace(module: Any) -> None:
    """Let each loop over samples take the workspace of one sample, if it needs any."""
    body = [op.operation for op in module.body]
    loops = {kernel_name(op): op for op in body if STEPS in op.attributes}
    for func in functions(module):
        name = kernel_name(func)
        if SAMPLE not in func.attributes:
            continue
        with func.location:
            plan_function(func)
        if WORKSPACE not in func.attributes:
            continue
        size = int(func.attributes[WORKSPACE].value)
        del func.attributes[WORKSPACE]
        loop = loops[f"{name}{ALL}"]
        steps = list(loop.attributes[STEPS])
        loop.erase()
        for op in ops(module.operation):
            if op.name == "func.call" and callee(op) == f"{name}{ALL}":
                with ir.InsertionPoint(op), op.location:
                    takes = _lend(op, size)
                    declare(module, callee(op), takes, [*steps, 0])
                op.erase()


def _lend(call: Any, size: int) -> list[Any]:
    """The call with a workspace; the types that it takes."""
    kind = ir.MemRefType.get([size], ir.IntegerType.get_signless(8))
    segments = ir.DenseI32ArrayAttr.get([0, 0])
    memory = build.op("memref.alloc", [], kind, {"operandSegmentSizes": segments})
    *pointers, first, end = call.operands
    arguments = [*pointers, memory, first, end]
    build.call(callee(call), arguments)
    ir.Operation.create("memref.dealloc", operands=[memory])
    return [value.type for value in arguments]
