// LLVM knows the processor that it runs on.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-pass-on-target | filecheck %s

// CHECK: llvm.func @k() {
module attributes {dycl.target = "native"} {
  llvm.func @k() {
    llvm.return
  }
}
