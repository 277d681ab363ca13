// A stride, a window of 1x1, weights that are computed, a map of one pixel.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-winograd | filecheck %s

// CHECK-NOT: linalg.generic
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-NOT: linalg.generic
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-NOT: linalg.generic
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-NOT: linalg.generic
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-NOT: linalg.generic
func.func @k(%x: tensor<1x16x9x9xf32>, %z: tensor<1x16x3x3xf32>, %w: tensor<16x16x3x3xf32>,
    %v: tensor<16x16x1x1xf32>, %c: tensor<16x16x3x3xf32>,
    %a: tensor<1x16x4x4xf32>, %b: tensor<1x16x9x9xf32>, %d: tensor<1x16x7x7xf32>, %e: tensor<1x16x1x1xf32>)
    -> (tensor<1x16x4x4xf32>, tensor<1x16x9x9xf32>, tensor<1x16x7x7xf32>, tensor<1x16x1x1xf32>)
    attributes {dycl.weights = array<i64: 2, 3>} {
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x16x9x9xf32>, tensor<16x16x3x3xf32>) outs(%a : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  %1 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %v : tensor<1x16x9x9xf32>, tensor<16x16x1x1xf32>) outs(%b : tensor<1x16x9x9xf32>) -> tensor<1x16x9x9xf32>
  %2 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %c : tensor<1x16x9x9xf32>, tensor<16x16x3x3xf32>) outs(%d : tensor<1x16x7x7xf32>) -> tensor<1x16x7x7xf32>
  %3 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%z, %w : tensor<1x16x3x3xf32>, tensor<16x16x3x3xf32>) outs(%e : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
  return %0, %1, %2, %3 : tensor<1x16x4x4xf32>, tensor<1x16x9x9xf32>, tensor<1x16x7x7xf32>, tensor<1x16x1x1xf32>
}
