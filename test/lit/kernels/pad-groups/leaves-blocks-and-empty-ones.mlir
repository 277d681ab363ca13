// Groups of four channels lie in blocks as they are; of an empty image nothing is done.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-pad-groups | filecheck %s

// CHECK-NOT: tensor.pad
// CHECK-COUNT-2: linalg.conv_2d_ngchw_gfchw
// CHECK-NOT: tensor.pad
func.func @k(%x: tensor<1x4x4x6x6xf32>, %w: tensor<4x4x4x3x3xf32>,
             %i: tensor<1x4x4x4x4xf32>, %none: tensor<0x2x3x6x6xf32>,
             %v: tensor<2x3x3x3x3xf32>, %j: tensor<0x2x3x4x4xf32>)
    -> (tensor<1x4x4x4x4xf32>, tensor<0x2x3x4x4xf32>) {
  %y = linalg.conv_2d_ngchw_gfchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x4x4x6x6xf32>, tensor<4x4x4x3x3xf32>)
      outs(%i : tensor<1x4x4x4x4xf32>) -> tensor<1x4x4x4x4xf32>
  %z = linalg.conv_2d_ngchw_gfchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%none, %v : tensor<0x2x3x6x6xf32>, tensor<2x3x3x3x3xf32>)
      outs(%j : tensor<0x2x3x4x4xf32>) -> tensor<0x2x3x4x4xf32>
  return %y, %z : tensor<1x4x4x4x4xf32>, tensor<0x2x3x4x4xf32>
}
