// Sixteen channels lie side by side: in the image, the weights and the result.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-contractions | filecheck %s

// CHECK: %[[X:.*]] = linalg.pack %arg0 inner_dims_pos = [1] inner_tiles = [16]
// CHECK-SAME: tensor<1x32x10x10xf32> -> tensor<1x2x10x10x16xf32>
// CHECK: %[[W:.*]] = linalg.pack %arg1 inner_dims_pos = [1, 0] inner_tiles = [16, 16]
// CHECK-SAME: tensor<64x32x3x3xf32> -> tensor<4x2x3x3x16x16xf32>
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK-SAME: (d0, d5, d2 + d6, d3 + d7, d8)
// CHECK-SAME: ins(%[[X]], %[[W]]
// CHECK-SAME: dycl.nest = "conv"
// CHECK: linalg.unpack %[[Y]] inner_dims_pos = [1] inner_tiles = [16]
// CHECK-SAME: -> tensor<1x64x8x8xf32>
func.func @k(%x: tensor<1x32x10x10xf32>, %w: tensor<64x32x3x3xf32>,
             %i: tensor<1x64x8x8xf32>) -> tensor<1x64x8x8xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x32x10x10xf32>, tensor<64x32x3x3xf32>)
      outs(%i : tensor<1x64x8x8xf32>) -> tensor<1x64x8x8xf32>
  return %y : tensor<1x64x8x8xf32>
}
