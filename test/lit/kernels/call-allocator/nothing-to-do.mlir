// Without memory there is nothing to ask for.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-call-allocator | filecheck %s

// CHECK: llvm.func @k
// CHECK-NOT: dycl_
llvm.func @k() {
  llvm.return
}
