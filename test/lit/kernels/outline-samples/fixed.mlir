// A batch of a known size: 32 images that leave the second cache go one by one; 3 of
// them stay as they are, and so do filters, which are no samples.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-outline-samples | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: linalg.generic
// CHECK-SAME: tensor<32x16x66x66xf32>, tensor<32x16x3x3xf32>
// CHECK-SAME: dycl.sample_dims = array<i64: -1, 0, -1, 0>, dycl.sample_of = @k.sample.0}
// CHECK-LABEL: func.func @small(
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-LABEL: func.func private @k.sample.0(
// CHECK-SAME: tensor<1x16x66x66xf32>, %{{.*}}: tensor<32x16x3x3xf32>
// CHECK-SAME: dycl.sample, dycl.weights = array<i64: 0, 2>
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-SAME: tensor<1x32x64x64xf32>
func.func @k(%x: tensor<32x16x66x66xf32>, %w: tensor<32x16x3x3xf32>,
    %b: tensor<32xf32>) -> tensor<32x32x64x64xf32>
    attributes {dycl.weights = array<i64: 1, 2>} {
  %empty = tensor.empty() : tensor<32x32x64x64xf32>
  %init = linalg.broadcast ins(%b : tensor<32xf32>)
    outs(%empty : tensor<32x32x64x64xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw
    {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<32x16x66x66xf32>, tensor<32x16x3x3xf32>)
    outs(%init : tensor<32x32x64x64xf32>) -> tensor<32x32x64x64xf32>
  return %y : tensor<32x32x64x64xf32>
}
func.func @small(%x: tensor<3x16x8x8xf32>, %w: tensor<16x16x3x3xf32>,
    %e: tensor<3x16x6x6xf32>) -> tensor<3x16x6x6xf32>
    attributes {dycl.weights = array<i64: 1>} {
  %y = linalg.conv_2d_nchw_fchw
    {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<3x16x8x8xf32>, tensor<16x16x3x3xf32>)
    outs(%e : tensor<3x16x6x6xf32>) -> tensor<3x16x6x6xf32>
  return %y : tensor<3x16x6x6xf32>
}
