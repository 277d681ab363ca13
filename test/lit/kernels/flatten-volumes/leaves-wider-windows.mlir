// A row of three taps, or a stride along rows: pixels of a plane are not alike any more.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-flatten-volumes | filecheck %s

// CHECK-COUNT-2: linalg.conv_3d_ncdhw_fcdhw
// CHECK-NOT: tensor.collapse_shape
func.func @k(%x: tensor<1x8x3x5x7xf32>, %w: tensor<4x8x1x1x3xf32>, %v: tensor<4x8x1x1x1xf32>,
             %i: tensor<1x4x3x5x5xf32>, %j: tensor<1x4x3x3x7xf32>)
    -> (tensor<1x4x3x5x5xf32>, tensor<1x4x3x3x7xf32>) {
  %y = linalg.conv_3d_ncdhw_fcdhw
      {dilations = dense<1> : vector<3xi64>, strides = dense<1> : vector<3xi64>}
      ins(%x, %w : tensor<1x8x3x5x7xf32>, tensor<4x8x1x1x3xf32>)
      outs(%i : tensor<1x4x3x5x5xf32>) -> tensor<1x4x3x5x5xf32>
  %z = linalg.conv_3d_ncdhw_fcdhw
      {dilations = dense<1> : vector<3xi64>, strides = dense<[1, 2, 1]> : vector<3xi64>}
      ins(%x, %v : tensor<1x8x3x5x7xf32>, tensor<4x8x1x1x1xf32>)
      outs(%j : tensor<1x4x3x3x7xf32>) -> tensor<1x4x3x3x7xf32>
  return %y, %z : tensor<1x4x3x5x5xf32>, tensor<1x4x3x3x7xf32>
}
