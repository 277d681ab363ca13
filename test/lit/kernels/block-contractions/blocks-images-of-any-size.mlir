// A run decides how many samples, rows and columns there are; channels are known.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-contractions | filecheck %s

// CHECK: %[[X:.*]] = linalg.pack %arg0 {{.*}} : tensor<?x32x?x?xf32> -> tensor<?x2x?x?x16xf32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[X]]
// CHECK: linalg.unpack %[[Y]] {{.*}} : tensor<?x1x?x?x16xf32> -> tensor<?x16x?x?xf32>
func.func @k(%x: tensor<?x32x?x?xf32>, %w: tensor<16x32x3x3xf32>,
             %i: tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<?x32x?x?xf32>, tensor<16x32x3x3xf32>)
      outs(%i : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  return %y : tensor<?x16x?x?xf32>
}
