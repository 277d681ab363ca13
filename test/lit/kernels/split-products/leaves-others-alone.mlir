// No part is known: of pieces that all change, of a matrix that is no weight, of rows
// put below one another.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-products | filecheck %s

// CHECK-NOT: tensor.extract_slice
func.func @changing(%x: tensor<1x3xf32>, %z: tensor<1x2xf32>, %w: tensor<5x4xf32>, %i: tensor<1x4xf32>)
    -> tensor<1x4xf32> attributes {dycl.weights = array<i64: 2>} {
  %xs = tensor.concat dim(1) %x, %z : (tensor<1x3xf32>, tensor<1x2xf32>) -> tensor<1x5xf32>
  %y = linalg.matmul ins(%xs, %w : tensor<1x5xf32>, tensor<5x4xf32>)
      outs(%i : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
func.func @no_weight(%x: tensor<1x3xf32>, %known: tensor<1x2xf32>, %w: tensor<5x4xf32>, %i: tensor<1x4xf32>)
    -> tensor<1x4xf32> attributes {dycl.weights = array<i64: 1>} {
  %xs = tensor.concat dim(1) %x, %known : (tensor<1x3xf32>, tensor<1x2xf32>) -> tensor<1x5xf32>
  %y = linalg.matmul ins(%xs, %w : tensor<1x5xf32>, tensor<5x4xf32>)
      outs(%i : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
func.func @rows(%x: tensor<1x5xf32>, %known: tensor<1x5xf32>, %w: tensor<5x4xf32>, %i: tensor<2x4xf32>)
    -> tensor<2x4xf32> attributes {dycl.weights = array<i64: 1, 2>} {
  %xs = tensor.concat dim(0) %x, %known : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
  %y = linalg.matmul ins(%xs, %w : tensor<2x5xf32>, tensor<5x4xf32>)
      outs(%i : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
