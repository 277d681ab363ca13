// The index moves to a NaN, and then no more.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-first-nan-wins | filecheck %s

// CHECK: ^bb0(%[[IN:.*]]: f32, %[[BEST:.*]]: f32, %[[AT:.*]]: i64)
// CHECK: %[[GREATER:.*]] = arith.cmpf ugt, %[[IN]], %[[BEST]]
// CHECK: %[[KNOWN:.*]] = arith.cmpf ord, %[[BEST]], %[[BEST]]
// CHECK: %[[MOVES:.*]] = arith.andi %[[GREATER]], %[[KNOWN]]
// CHECK: arith.select %[[MOVES]]
func.func @k(%x: tensor<8xf32>, %v: tensor<f32>, %i: tensor<i64>) -> (tensor<f32>, tensor<i64>) {
  %y:2 = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>, affine_map<(j) -> ()>, affine_map<(j) -> ()>],
      iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%v, %i : tensor<f32>, tensor<i64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %j = linalg.index 0 : index
    %n = arith.index_cast %j : index to i64
    %m = arith.maximumf %in, %best : f32
    %c = arith.cmpf ogt, %in, %best : f32
    %k = arith.select %c, %n, %at : i64
    linalg.yield %m, %k : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %y#0, %y#1 : tensor<f32>, tensor<i64>
}
