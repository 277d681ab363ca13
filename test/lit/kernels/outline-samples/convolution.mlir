// Each sample of a convolution is computed alone, with its bias; weights stay weights.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-outline-samples | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: %[[N:.*]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x16x8x8xf32>
// CHECK-NOT: linalg.conv
// CHECK: linalg.generic
// CHECK-SAME: dycl.sample_of = @k.sample.0
// CHECK-LABEL: func.func private @k.sample.0(
// CHECK-SAME: tensor<1x16x8x8xf32>
// CHECK-SAME: dycl.weights = array<i64: 0, 2>
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-SAME: -> tensor<1x16x6x6xf32>
func.func @k(%x: tensor<?x16x8x8xf32>, %w: tensor<16x16x3x3xf32>, %b: tensor<16xf32>)
    -> tensor<?x16x6x6xf32> attributes {dycl.weights = array<i64: 1, 2>} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16x8x8xf32>
  %empty = tensor.empty(%n) : tensor<?x16x6x6xf32>
  %init = linalg.broadcast ins(%b : tensor<16xf32>)
    outs(%empty : tensor<?x16x6x6xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw
    {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
    ins(%x, %w : tensor<?x16x8x8xf32>, tensor<16x16x3x3xf32>)
    outs(%init : tensor<?x16x6x6xf32>) -> tensor<?x16x6x6xf32>
  return %y : tensor<?x16x6x6xf32>
}
