// The window is inside of the loop along a row of the output.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-loop-order | filecheck %s

// CHECK: linalg.generic
// CHECK-SAME: affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d3, d4)>
func.func @k(%x: tensor<1x3x9x9xf64>, %w: tensor<8x3x3x3xf64>, %o: tensor<1x8x7x7xf64>) -> tensor<1x8x7x7xf64> {
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x3x9x9xf64>, tensor<8x3x3x3xf64>) outs(%o : tensor<1x8x7x7xf64>) -> tensor<1x8x7x7xf64>
  return %y : tensor<1x8x7x7xf64>
}
