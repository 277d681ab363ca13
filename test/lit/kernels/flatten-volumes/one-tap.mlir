// One tap at every pixel, with a bias for each channel: all pixels are a row.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-flatten-volumes,canonicalize | filecheck %s

// CHECK: linalg.broadcast {{.*}} outs(%{{.*}} : tensor<1x4x105xf32>) dimensions = [0, 2]
// CHECK: linalg.conv_1d_ncw_fcw {{.*}} : tensor<1x8x105xf32>, tensor<4x8x1xf32>)
// CHECK: tensor.expand_shape {{.*}} into tensor<1x4x3x5x7xf32>
func.func @k(%x: tensor<1x8x3x5x7xf32>, %w: tensor<4x8x1x1x1xf32>, %b: tensor<4xf32>) -> tensor<1x4x3x5x7xf32> {
  %e = tensor.empty() : tensor<1x4x3x5x7xf32>
  %i = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<1x4x3x5x7xf32>) dimensions = [0, 2, 3, 4]
  %y = linalg.conv_3d_ncdhw_fcdhw
      {dilations = dense<1> : vector<3xi64>, strides = dense<1> : vector<3xi64>}
      ins(%x, %w : tensor<1x8x3x5x7xf32>, tensor<4x8x1x1x1xf32>)
      outs(%i : tensor<1x4x3x5x7xf32>) -> tensor<1x4x3x5x7xf32>
  return %y : tensor<1x4x3x5x7xf32>
}
