// Planes that stay neighbours are one dimension; the last square overlaps.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-transpose-squares | filecheck %s

// CHECK: func.func @k
// CHECK-NEXT: call @transpose.0(%arg0, %arg1)
// CHECK-NOT: linalg.transpose
// CHECK: func.func private @transpose.0
// CHECK: memref.collapse_shape {{.*}} into memref<24x400xf32>
// CHECK: memref.collapse_shape {{.*}} into memref<400x24xf32>
// CHECK: arith.minui
// CHECK: vector.load
// CHECK: vector.shuffle
// CHECK: vector.store
func.func @k(%x: memref<24x20x20xf32>, %y: memref<20x20x24xf32>) {
  linalg.transpose ins(%x : memref<24x20x20xf32>) outs(%y : memref<20x20x24xf32>)
      permutation = [1, 2, 0]
  return
}
