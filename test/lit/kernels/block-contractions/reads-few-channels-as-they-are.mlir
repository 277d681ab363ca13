// Three input channels fill no vector: the image is not packed.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-contractions | filecheck %s

// CHECK-NOT: linalg.pack %arg0
// CHECK: %[[W:.*]] = linalg.pack %arg1 inner_dims_pos = [0] inner_tiles = [16]
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0, %[[W]]
func.func @k(%x: tensor<1x3x6x6xf32>, %w: tensor<16x3x3x3xf32>,
             %i: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x3x6x6xf32>, tensor<16x3x3x3xf32>)
      outs(%i : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %y : tensor<1x16x4x4xf32>
}
