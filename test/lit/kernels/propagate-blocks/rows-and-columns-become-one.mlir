// Between two convolutions along depth: blocks go through the reshape.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-contractions,cpu-propagate-blocks,canonicalize | filecheck %s

// CHECK-COUNT-1: linalg.pack %arg0
// CHECK:     tensor.collapse_shape {{.*}} {{\[\[}}0], [1], [2], [3, 4], [5]] : tensor<1x2x4x5x7x16xf32> into tensor<1x2x4x35x16xf32>
// CHECK-NOT: linalg.unpack
// CHECK:     tensor.expand_shape {{.*}} into tensor<1x2x4x5x7x16xf32>
// CHECK:     linalg.unpack
func.func @k(%x: tensor<1x32x4x7x9xf32>, %w: tensor<32x32x1x3x3xf32>, %v: tensor<32x32x1x1xf32>,
             %i: tensor<1x32x4x5x7xf32>, %j: tensor<1x32x4x35xf32>) -> tensor<1x32x4x5x7xf32> {
  %y = linalg.conv_3d_ncdhw_fcdhw
      {dilations = dense<1> : vector<3xi64>, strides = dense<1> : vector<3xi64>}
      ins(%x, %w : tensor<1x32x4x7x9xf32>, tensor<32x32x1x3x3xf32>)
      outs(%i : tensor<1x32x4x5x7xf32>) -> tensor<1x32x4x5x7xf32>
  %c = tensor.collapse_shape %y [[0], [1], [2], [3, 4]] : tensor<1x32x4x5x7xf32> into tensor<1x32x4x35xf32>
  %z = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%c, %v : tensor<1x32x4x35xf32>, tensor<32x32x1x1xf32>)
      outs(%j : tensor<1x32x4x35xf32>) -> tensor<1x32x4x35xf32>
  %r = tensor.expand_shape %z [[0], [1], [2], [3, 4]] output_shape [1, 32, 4, 5, 7]
      : tensor<1x32x4x35xf32> into tensor<1x32x4x5x7xf32>
  return %r : tensor<1x32x4x5x7xf32>
}
