// Of stride 2 along one dimension: two convolutions of the image, in the same groups.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-phases,canonicalize,cse | filecheck %s

// CHECK-COUNT-2: linalg.conv_2d_ngchw_gfchw
// CHECK-NOT: linalg.conv_2d_ngchw_gfchw
// CHECK: tensor.insert_slice %{{.*}}[0, 0, 0, 1, 0] [1, 2, 5, 3, 4] [1, 1, 1, 2, 1]
func.func @k(%x: tensor<1x8x4x4xf32>, %w: tensor<2x5x4x3x1xf32>) -> tensor<1x2x5x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x8x9x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x9x4xf32>) -> tensor<1x8x9x4xf32>
  %z = tensor.insert_slice %x into %f[0, 0, 1, 0] [1, 8, 4, 4] [1, 1, 2, 1]
      : tensor<1x8x4x4xf32> into tensor<1x8x9x4xf32>
  %g = tensor.expand_shape %z [[0], [1, 2], [3], [4]] output_shape [1, 2, 4, 9, 4]
      : tensor<1x8x9x4xf32> into tensor<1x2x4x9x4xf32>
  %o = tensor.empty() : tensor<1x2x5x7x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%o : tensor<1x2x5x7x4xf32>) -> tensor<1x2x5x7x4xf32>
  %y = linalg.conv_2d_ngchw_gfchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%g, %w : tensor<1x2x4x9x4xf32>, tensor<2x5x4x3x1xf32>)
      outs(%i : tensor<1x2x5x7x4xf32>) -> tensor<1x2x5x7x4xf32>
  return %y : tensor<1x2x5x7x4xf32>
}
