// From small to large: everything may stay in front of a NaN.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-sort-nan-as-largest | filecheck %s

// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK: %[[LESS:.*]] = arith.cmpf ole, %[[A]], %[[B]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[B]], %[[B]]
// CHECK: arith.ori %[[LESS]], %[[NAN]]
func.func @k(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%first: f32, %second: f32):
    %c = arith.cmpf ole, %first, %second : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
