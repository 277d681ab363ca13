// Weights that many rows are multiplied with are read from the cache: they stay f32.
// So does what is no weight.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s --narrow -p cpu-block-matmuls,cpu-narrow-weights | filecheck %s

// CHECK-NOT: bf16
func.func @rows(%x: tensor<8x512xf32>, %w: tensor<512x100xf32>, %i: tensor<8x100xf32>)
    -> tensor<8x100xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<8x512xf32>, tensor<512x100xf32>)
      outs(%i : tensor<8x100xf32>) -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}
func.func @no_weight(%x: tensor<1x512xf32>, %w: tensor<512x100xf32>, %i: tensor<1x100xf32>)
    -> tensor<1x100xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<1x512xf32>, tensor<512x100xf32>)
      outs(%i : tensor<1x100xf32>) -> tensor<1x100xf32>
  return %y : tensor<1x100xf32>
}
