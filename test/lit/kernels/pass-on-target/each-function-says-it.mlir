// Functions with code say for which processor they are; the module does not any more.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-pass-on-target | filecheck %s

// CHECK: module {
// CHECK-NEXT: llvm.func @memcpy(!llvm.ptr)
// CHECK-NEXT: llvm.func @k() attributes {target_cpu = "x86-64-v3", target_features =
module attributes {dycl.target = "x86-64-v3"} {
  llvm.func @memcpy(!llvm.ptr)
  llvm.func @k() {
    llvm.return
  }
}
