// Four channels to a group: each lane reads the channels of its own group.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-groups,cpu-propagate-blocks,canonicalize | filecheck %s

// CHECK: linalg.generic
// CHECK-SAME: (d0, d1, d2 + d5, d3 + d6, (d4 floordiv 4) * 4 + d7)
// CHECK-SAME: dycl.nest = "grouped"
// CHECK-NOT: linalg.conv
func.func @k(%x: tensor<1x4x4x6x6xf32>, %w: tensor<4x4x4x3x3xf32>,
             %i: tensor<1x4x4x4x4xf32>) -> tensor<1x4x4x4x4xf32> {
  %y = linalg.conv_2d_ngchw_gfchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x4x4x6x6xf32>, tensor<4x4x4x3x3xf32>)
      outs(%i : tensor<1x4x4x4x4xf32>) -> tensor<1x4x4x4x4xf32>
  return %y : tensor<1x4x4x4x4xf32>
}
