// Groups of 24 channels become groups of 32, with a bias for each; 24 are real.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-pad-groups,canonicalize | filecheck %s
// RUN: dycl-kernel-opt %s -p cpu-pad-groups,cpu-block-groups | filecheck %s --check-prefix=BLOCKS

// CHECK-DAG: tensor.pad %{{.*}} low[0, 0, 0, 0, 0] high[0, 0, 8, 0, 0]
// CHECK-DAG: tensor.pad %{{.*}} low[0, 0, 0, 0, 0] high[0, 8, 8, 0, 0]
// CHECK-DAG: tensor.pad %{{.*}} low[0, 0] high[0, 8]
// CHECK: linalg.broadcast ins(%{{.*}} : tensor<64xf32>)
// CHECK: linalg.conv_2d_ngchw_gfchw {
// CHECK-SAME: dycl.valid = 24
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 0, 0] [1, 2, 24, 4, 4]
// BLOCKS: dycl.nest = "conv", dycl.valid = 24
func.func @k(%x: tensor<1x2x24x6x6xf32>, %w: tensor<2x24x24x3x3xf32>,
             %b: tensor<48xf32>) -> tensor<1x2x24x4x4xf32> {
  %e = tensor.empty() : tensor<1x48x4x4xf32>
  %s = linalg.broadcast ins(%b : tensor<48xf32>) outs(%e : tensor<1x48x4x4xf32>)
      dimensions = [0, 2, 3]
  %i = tensor.expand_shape %s [[0], [1, 2], [3], [4]] output_shape [1, 2, 24, 4, 4]
      : tensor<1x48x4x4xf32> into tensor<1x2x24x4x4xf32>
  %y = linalg.conv_2d_ngchw_gfchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x2x24x6x6xf32>, tensor<2x24x24x3x3xf32>)
      outs(%i : tensor<1x2x24x4x4xf32>) -> tensor<1x2x24x4x4xf32>
  return %y : tensor<1x2x24x4x4xf32>
}
