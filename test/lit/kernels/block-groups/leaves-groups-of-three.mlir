// Three channels to a group divide no block.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-groups | filecheck %s

// CHECK: linalg.conv_2d_ngchw_gfchw
func.func @k(%x: tensor<1x2x3x6x6xf32>, %w: tensor<2x3x3x3x3xf32>,
             %i: tensor<1x2x3x4x4xf32>) -> tensor<1x2x3x4x4xf32> {
  %y = linalg.conv_2d_ngchw_gfchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x2x3x6x6xf32>, tensor<2x3x3x3x3xf32>)
      outs(%i : tensor<1x2x3x4x4xf32>) -> tensor<1x2x3x4x4xf32>
  return %y : tensor<1x2x3x4x4xf32>
}
