// Into a tensor whose size a run decides, elements are written if it has any;
// where sizes are known, nothing is asked.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-guard-scatters | filecheck %s

// CHECK: func.func @k
// CHECK: %[[SIZE:.*]] = memref.dim %arg2, %c1
// CHECK: %[[IS:.*]] = arith.cmpi ne, %[[SIZE]], %c0
// CHECK: scf.if %[[IS]] {
// CHECK-NEXT: tm_tensor.scatter {{.*}}outs(%arg2
// CHECK: }
// CHECK: tm_tensor.scatter {{.*}}outs(%arg3
// CHECK-NOT: scf.if
func.func @k(%v: memref<3xf32>, %at: memref<3x2xi32>, %x: memref<3x?xf32>, %y: memref<3x4xf32>) {
  tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%v, %at : memref<3xf32>, memref<3x2xi32>) outs(%x : memref<3x?xf32>) {
  ^bb0(%new: f32, %old: f32):
    tm_tensor.yield %new : f32
  }
  tm_tensor.scatter {dimension_map = array<i64: 0, 1>} unique_indices(false) ins(%v, %at : memref<3xf32>, memref<3x2xi32>) outs(%y : memref<3x4xf32>) {
  ^bb0(%new: f32, %old: f32):
    tm_tensor.yield %new : f32
  }
  return
}
