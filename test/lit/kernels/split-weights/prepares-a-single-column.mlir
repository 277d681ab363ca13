// A weight of one column is filled up to a vector once, not in each call.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls,cpu-split-weights | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK-SAME: tensor<1x512x16xf32>
// CHECK-NOT: linalg.pack
// CHECK: func.func @k_prepare
// CHECK: linalg.pack
func.func @k(%x: tensor<16x512xf32>, %w: tensor<512x1xf32>, %i: tensor<16x1xf32>)
    -> tensor<16x1xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<16x512xf32>, tensor<512x1xf32>)
      outs(%i : tensor<16x1xf32>) -> tensor<16x1xf32>
  return %y : tensor<16x1xf32>
}
