// A matrix that is given, one whose rows share nothing, one of equal numbers, and a
// product of a single column.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-factor-products | filecheck %s

// CHECK-NOT: dycl.nest
// CHECK-COUNT-4: linalg.matmul
// CHECK-NOT: dycl.nest
func.func @k(%g: tensor<4x4xf32>, %x: tensor<4x8xf32>, %z: tensor<4x1xf32>, %i: tensor<4x8xf32>, %j: tensor<4x1xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>) {
  %v = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 1.5, 2.5, 3.5], [4.5, 5.5, 6.5, 7.5]]> : tensor<4x4xf32>
  %s = arith.constant dense<2.0> : tensor<4x4xf32>
  %w = arith.constant dense<[[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [1.0, -1.0, -1.0, 1.0]]> : tensor<4x4xf32>
  %0 = linalg.matmul ins(%g, %x : tensor<4x4xf32>, tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = linalg.matmul ins(%v, %x : tensor<4x4xf32>, tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = linalg.matmul ins(%s, %x : tensor<4x4xf32>, tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = linalg.matmul ins(%w, %z : tensor<4x4xf32>, tensor<4x1xf32>) outs(%j : tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>
}
