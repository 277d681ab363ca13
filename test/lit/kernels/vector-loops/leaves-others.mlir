// Columns do not lie side by side; and an exponential has no branch.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-vector-loops | filecheck %s

// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: vector
func.func @k(%x: memref<8x5xf32>, %y: memref<5x8xf32>, %z: memref<8x5xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x5xf32>) outs(%y : memref<5x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = math.sin %a : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x5xf32>) outs(%z : memref<8x5xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  }
  return
}
