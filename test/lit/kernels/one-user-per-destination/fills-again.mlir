// Two sums start from two tensors of zeros, each in memory of its own.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-one-user-per-destination | filecheck %s

// CHECK-COUNT-2: tensor.empty
// CHECK-COUNT-2: linalg.fill
#id = affine_map<(j) -> (j)>
#all = affine_map<(j) -> ()>
func.func @k(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %a = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %b = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%y : tensor<8xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}
