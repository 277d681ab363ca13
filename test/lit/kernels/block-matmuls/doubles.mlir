// A vector of f64 takes twice the registers: half as many columns lie together.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls --target x86-64-v4 | filecheck %s

// CHECK: linalg.pack %arg1
// CHECK-SAME: inner_tiles = [32]
// CHECK-SAME: tensor<64x96xf64> -> tensor<3x64x32xf64>
// CHECK: dycl.nest = "matmul"
func.func @k(%x: tensor<8x64xf64>, %w: tensor<64x96xf64>, %i: tensor<8x96xf64>)
    -> tensor<8x96xf64> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf64>, tensor<64x96xf64>)
      outs(%i : tensor<8x96xf64>) -> tensor<8x96xf64>
  return %y : tensor<8x96xf64>
}
