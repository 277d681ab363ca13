// From large to small: a NaN stays in front of everything.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-sort-nan-as-largest | filecheck %s

// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32)
// CHECK: %[[GREATER:.*]] = arith.cmpf oge, %[[A]], %[[B]]
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[A]], %[[A]]
// CHECK: arith.ori %[[GREATER]], %[[NAN]]
func.func @k(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = tm_tensor.sort dimension(0) outs(%x : tensor<8xf32>) {
  ^bb0(%first: f32, %second: f32):
    %c = arith.cmpf oge, %first, %second : f32
    tm_tensor.yield %c : i1
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
