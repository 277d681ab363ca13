// Arguments with elements, and those of dynamic size, stay as they are.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-empty-arguments | filecheck %s

// CHECK: func.func @k(%{{.*}}: memref<1x4xf32>, %{{.*}}: memref<?x4xf32>, %{{.*}}: i64)
// CHECK-NOT: memref.alloca
func.func @k(%x: memref<1x4xf32>, %y: memref<?x4xf32>, %n: i64) {
  return
}
