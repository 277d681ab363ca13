// A bias that is repeated for each pixel is larger than what it is made of: it stays.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-weights | filecheck %s

// CHECK: func.func @k(%arg0: tensor<16xf32>) -> tensor<1x16x8x8xf32>
// CHECK: linalg.broadcast
// CHECK-NOT: @k_prepare
func.func @k(%b: tensor<16xf32>) -> tensor<1x16x8x8xf32>
    attributes {dycl.weights = array<i64: 0>} {
  %e = tensor.empty() : tensor<1x16x8x8xf32>
  %y = linalg.broadcast ins(%b : tensor<16xf32>) outs(%e : tensor<1x16x8x8xf32>)
      dimensions = [0, 2, 3]
  return %y : tensor<1x16x8x8xf32>
}
