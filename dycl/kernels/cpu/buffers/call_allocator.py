"""`cpu-call-allocator`: memory of a size that a run decides comes from the host.

A host keeps the memory of one run for the next (`dycl/host/native/blocks.h`). A kernel
that is linked with none, as in this process, asks libc.

Before:
    llvm.func @k(...) { %p = llvm.call @malloc(%bytes) ... llvm.call @free(%p) }

After:
    llvm.func @k(...) {
      %p = llvm.call @dycl_alloc(%bytes) ... llvm.call @dycl_free(%p)

    llvm.func internal @dycl_alloc(%bytes: i64) -> (!llvm.ptr {llvm.noalias}) {
      %p = llvm.call (dycl_allocate_by or @malloc)(%bytes)
    llvm.func internal @dycl_free(%p: !llvm.ptr) {
      llvm.call (dycl_free_by or @free)(%p)

Needs:  the LLVM dialect.
Leaves: `dycl_allocate_by` and `dycl_free_by`, pointers that all objects of a program
        have together: weak, null, and set by a host.
Skips:  modules that allocate nothing.
"""

from typing import Any

from dycl.kernels.cpu.check import kernel_name
from dycl.kernels.cpu.mlir import callee, ir, ops

_NAMES = {"malloc": "dycl_alloc", "free": "dycl_free"}
_TEXTS = {
    "malloc": """
llvm.func @malloc(i64) -> !llvm.ptr
llvm.mlir.global weak hidden @dycl_allocate_by() : !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return %null : !llvm.ptr
}
llvm.func internal @dycl_alloc(%bytes: i64) -> (!llvm.ptr {llvm.noalias})
    attributes {passthrough = ["noinline"]} {
  %where = llvm.mlir.addressof @dycl_allocate_by : !llvm.ptr
  %by = llvm.load %where : !llvm.ptr -> !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %alone = llvm.icmp "eq" %by, %null : !llvm.ptr
  llvm.cond_br %alone, ^libc, ^host
^libc:
  %p = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
  llvm.return %p : !llvm.ptr
^host:
  %q = llvm.call %by(%bytes) : !llvm.ptr, (i64) -> !llvm.ptr
  llvm.return %q : !llvm.ptr
}
""",
    "free": """
llvm.func @free(!llvm.ptr)
llvm.mlir.global weak hidden @dycl_free_by() : !llvm.ptr {
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return %null : !llvm.ptr
}
llvm.func internal @dycl_free(%p: !llvm.ptr) attributes {passthrough = ["noinline"]} {
  %where = llvm.mlir.addressof @dycl_free_by : !llvm.ptr
  %by = llvm.load %where : !llvm.ptr -> !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  %alone = llvm.icmp "eq" %by, %null : !llvm.ptr
  llvm.cond_br %alone, ^libc, ^host
^libc:
  llvm.call @free(%p) : (!llvm.ptr) -> ()
  llvm.return
^host:
  llvm.call %by(%p) : !llvm.ptr, (!llvm.ptr) -> ()
  llvm.return
}
""",
}


def call_allocator(module: Any) -> None:
    """Let the kernels of a module ask the host for memory."""
    declared = {
        kernel_name(op.operation): op.operation
        for op in module.body.operations
        if op.operation.name == "llvm.func"
    }
    found = [name for name in _NAMES if name in declared]
    for op in ops(module.operation):
        is_named = op.name == "llvm.call" and "callee" in op.attributes
        if is_named and (name := callee(op)) in found:
            op.attributes["callee"] = ir.FlatSymbolRefAttr.get(_NAMES[name])
    for name in found:
        with declared[name].location:
            parsed = ir.Module.parse(_TEXTS[name])
            for op in list(parsed.body.operations)[1:]:
                op.operation.clone(ir.InsertionPoint(declared[name]))
