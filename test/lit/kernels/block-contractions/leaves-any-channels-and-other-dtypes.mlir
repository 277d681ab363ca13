// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-contractions | filecheck %s

// CHECK-NOT: linalg.pack
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-NOT: linalg.pack
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-NOT: linalg.unpack
func.func @any(%x: tensor<1x?x6x6xf32>, %w: tensor<16x?x3x3xf32>,
               %i: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x?x6x6xf32>, tensor<16x?x3x3xf32>)
      outs(%i : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %y : tensor<1x16x4x4xf32>
}
func.func @double(%x: tensor<1x16x6x6xf64>, %w: tensor<16x16x3x3xf64>,
                  %i: tensor<1x16x4x4xf64>) -> tensor<1x16x4x4xf64> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x16x6x6xf64>, tensor<16x16x3x3xf64>)
      outs(%i : tensor<1x16x4x4xf64>) -> tensor<1x16x4x4xf64>
  return %y : tensor<1x16x4x4xf64>
}
