// Pixels and weights are transformed, multiplied, summed up, and transformed back.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-winograd | filecheck %s

// CHECK: linalg.generic
// CHECK-SAME: outs({{.*}} : tensor<6x6x2x1x16x16xf32>) attrs = {dycl.prepared}
// CHECK: tensor.pad
// CHECK: linalg.generic
// CHECK-SAME: (d3, d2, d4 * 4 + d7, d5 * 4 + d8, d6)
// CHECK-SAME: outs({{.*}} : tensor<6x6x1x1x4x4x16xf32>) attrs = {dycl.nest = "winograd-pixels", dycl.tile = 4 : i64}
// CHECK: linalg.generic
// CHECK-SAME: outs({{.*}} : tensor<36x2x16x16xf32>) attrs = {dycl.nest = "conv"}
// CHECK: linalg.generic
// CHECK-SAME: (d5, d6, d1, d0, d2 floordiv 4, d3 floordiv 4, d4)
// CHECK-SAME: outs({{.*}} : tensor<1x2x15x15x16xf32>) attrs = {dycl.nest = "winograd-results", dycl.tile = 4 : i64}
// CHECK: linalg.unpack
// CHECK-NOT: conv_2d
func.func @k(%x: tensor<1x16x17x17xf32>, %w: tensor<32x16x3x3xf32>, %i: tensor<1x32x15x15xf32>)
    -> tensor<1x32x15x15xf32> attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x16x17x17xf32>, tensor<32x16x3x3xf32>) outs(%i : tensor<1x32x15x15xf32>) -> tensor<1x32x15x15xf32>
  return %y : tensor<1x32x15x15xf32>
}
