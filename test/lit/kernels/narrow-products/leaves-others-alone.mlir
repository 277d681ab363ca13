// What is no weight stays f32, and so do products of an odd number of summands.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s --matmul-dtype bf16 -p cpu-block-matmuls,cpu-narrow-products | filecheck %s

// CHECK-NOT: matmul-pairs
func.func @no_weight(%x: tensor<8x512xf32>, %w: tensor<512x100xf32>, %i: tensor<8x100xf32>)
    -> tensor<8x100xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x512xf32>, tensor<512x100xf32>)
      outs(%i : tensor<8x100xf32>) -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}
func.func @odd(%x: tensor<8x51xf32>, %w: tensor<51x100xf32>, %i: tensor<8x100xf32>)
    -> tensor<8x100xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<8x51xf32>, tensor<51x100xf32>)
      outs(%i : tensor<8x100xf32>) -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}
