// A window of 5x5 is too much to unroll.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-mark-wide-windows | filecheck %s

// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-SAME: dycl.wide
func.func @k(%x: tensor<1x3x9x9xf64>, %w: tensor<8x3x5x5xf64>, %o: tensor<1x8x5x5xf64>) -> tensor<1x8x5x5xf64> {
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x3x9x9xf64>, tensor<8x3x5x5xf64>) outs(%o : tensor<1x8x5x5xf64>) -> tensor<1x8x5x5xf64>
  return %y : tensor<1x8x5x5xf64>
}
