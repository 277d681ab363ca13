// A kernel that allocates nothing says nothing.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-note-memory | filecheck %s

// CHECK: func.func @k
// CHECK-NOT: dycl.memory
func.func @k(%x: memref<4xf32>) {
  return
}
