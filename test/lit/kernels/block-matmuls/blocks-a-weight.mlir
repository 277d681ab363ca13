// 64 columns of a weight lie together; the result stays in rows.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-matmuls --target x86-64-v4 | filecheck %s

// CHECK: %[[W:.*]] = linalg.pack %arg1 padding_value
// CHECK-SAME: outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [64]
// CHECK-SAME: tensor<512x100xf32> -> tensor<2x512x64xf32>
// CHECK: linalg.generic
// CHECK-SAME: (d1 floordiv 64, d2, d1 mod 64)
// CHECK-SAME: ins(%arg0, %[[W]]
// CHECK-SAME: outs(%arg2 : tensor<8x100xf32>)
// CHECK-SAME: dycl.nest = "matmul"
func.func @k(%x: tensor<8x512xf32>, %w: tensor<512x100xf32>, %i: tensor<8x100xf32>)
    -> tensor<8x100xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.matmul ins(%x, %w : tensor<8x512xf32>, tensor<512x100xf32>)
      outs(%i : tensor<8x100xf32>) -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}
