// A maximum without its index has no comparison: a NaN is greater than all already.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-first-nan-wins | filecheck %s

// CHECK: arith.cmpf ogt
// CHECK-NOT: arith.cmpf
func.func @k(%x: tensor<8xf32>, %v: tensor<f32>) -> tensor<f32> {
  %y = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>],
      iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%v : tensor<f32>) {
  ^bb0(%in: f32, %best: f32):
    %m = arith.maximumf %in, %best : f32
    %c = arith.cmpf ogt, %in, %best : f32
    %k = arith.select %c, %in, %m : f32
    linalg.yield %k : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
