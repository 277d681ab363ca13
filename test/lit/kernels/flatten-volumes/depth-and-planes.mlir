// A window of one row and one column: rows and columns of a plane are one dimension.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-flatten-volumes,canonicalize | filecheck %s

// CHECK-DAG: %[[X:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1], [2], [3, 4]]
// CHECK-DAG: %[[W:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0], [1], [2], [3, 4]]
// CHECK:     linalg.conv_2d_nchw_fchw {dilations = dense<[2, 1]> : {{.*}}, strides = dense<[3, 1]> : {{.*}}} ins(%[[X]], %[[W]] : tensor<1x8x10x35xf32>, tensor<4x8x3x1xf32>)
// CHECK:     tensor.expand_shape {{.*}} into tensor<1x4x2x5x7xf32>
func.func @k(%x: tensor<1x8x10x5x7xf32>, %w: tensor<4x8x3x1x1xf32>) -> tensor<1x4x2x5x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x2x5x7xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x2x5x7xf32>) -> tensor<1x4x2x5x7xf32>
  %y = linalg.conv_3d_ncdhw_fcdhw
      {dilations = dense<[2, 1, 1]> : vector<3xi64>, strides = dense<[3, 1, 1]> : vector<3xi64>}
      ins(%x, %w : tensor<1x8x10x5x7xf32>, tensor<4x8x3x1x1xf32>)
      outs(%i : tensor<1x4x2x5x7xf32>) -> tensor<1x4x2x5x7xf32>
  return %y : tensor<1x4x2x5x7xf32>
}
