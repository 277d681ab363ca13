// With AVX-512 panels are of 48 or 32 columns where pairs of them divide all columns.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls --target x86-64-v4 | filecheck %s --check-prefix=WIDE
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls --target x86-64-v3 | filecheck %s --check-prefix=NARROW

// WIDE-LABEL: @of_48(
// WIDE: inner_tiles = [48]
// WIDE-SAME: tensor<64x192xf32> -> tensor<4x64x48xf32>
// WIDE-LABEL: @of_32(
// WIDE: inner_tiles = [32]
// WIDE-LABEL: @odd(
// WIDE: inner_tiles = [64]
// NARROW-LABEL: @of_48(
// NARROW: inner_tiles = [16]
func.func @of_48(%x: tensor<8x64xf32>, %w: tensor<64x192xf32>, %i: tensor<8x192xf32>)
    -> tensor<8x192xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x192xf32>)
      outs(%i : tensor<8x192xf32>) -> tensor<8x192xf32>
  return %y : tensor<8x192xf32>
}
func.func @of_32(%x: tensor<1x64xf32>, %w: tensor<64x128xf32>, %i: tensor<1x128xf32>)
    -> tensor<1x128xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x128xf32>)
      outs(%i : tensor<1x128xf32>) -> tensor<1x128xf32>
  return %y : tensor<1x128xf32>
}
func.func @odd(%x: tensor<8x64xf32>, %w: tensor<64x144xf32>, %i: tensor<8x144xf32>)
    -> tensor<8x144xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x144xf32>)
      outs(%i : tensor<8x144xf32>) -> tensor<8x144xf32>
  return %y : tensor<8x144xf32>
}
