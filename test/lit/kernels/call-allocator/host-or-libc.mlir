// Memory comes from what a host has set, or from libc, where there is no host.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-call-allocator | filecheck %s

// CHECK: llvm.mlir.global weak hidden @dycl_allocate_by()
// CHECK: llvm.func internal @dycl_alloc(%[[BYTES:.*]]: i64) -> (!llvm.ptr {llvm.noalias})
// CHECK: llvm.cond_br
// CHECK: llvm.call @malloc(%[[BYTES]])
// CHECK: llvm.call %{{.*}}(%[[BYTES]])
// CHECK: llvm.func @malloc(i64)
// CHECK: llvm.func internal @dycl_free(
// CHECK: llvm.call @free(
// CHECK: llvm.func @k
// CHECK: %[[P:.*]] = llvm.call @dycl_alloc(
// CHECK: llvm.call @dycl_free(%[[P]])
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func @k(%n: i64) {
  %p = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.call @free(%p) : (!llvm.ptr) -> ()
  llvm.return
}
