// Rows that lie in order are one: two vectors of 16, and a mask for the last eight.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-vector-loops,canonicalize | filecheck %s

// CHECK-NOT: linalg.generic
// CHECK:     scf.for %{{.*}} = %c0 to %c32 step %c16 {
// CHECK:       vector.load {{.*}} : memref<40xf32>, vector<16xf32>
// CHECK:       math.sin {{.*}} : vector<16xf32>
// CHECK:       vector.store
// CHECK:     vector.maskedload
// CHECK:     math.sin
// CHECK:     vector.maskedstore
func.func @k(%x: memref<8x5xf32>, %y: memref<8x5xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x5xf32>) outs(%y : memref<8x5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = math.sin %a : f32
    linalg.yield %s : f32
  }
  return
}
