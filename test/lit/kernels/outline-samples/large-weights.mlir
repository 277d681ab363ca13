// Weights of 36 MiB are read once for a group; samples that are left go one by one, into
// what groups have been written to.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-outline-samples | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: %[[GROUPS:.*]] = linalg.generic
// CHECK-SAME: dycl.sample_group = [[G:[0-9]+]] : i64, dycl.sample_of = @k.sample.0.group
// CHECK: linalg.generic
// CHECK-SAME: outs(%[[GROUPS]] : tensor<?x1024x2x2xf32>)
// CHECK-SAME: dycl.sample_behind = [[G]] : i64
// CHECK-SAME: dycl.sample_of = @k.sample.0}
// CHECK-LABEL: func.func private @k.sample.0(
// CHECK-SAME: tensor<1x1024x5x5xf32>
// CHECK-LABEL: func.func private @k.sample.0.group(
// CHECK-SAME: tensor<[[G]]x1024x5x5xf32>
// CHECK: linalg.conv_2d_nchw_fchw
func.func @k(%x: tensor<?x1024x5x5xf32>, %w: tensor<1024x1024x3x3xf32>,
    %b: tensor<1024xf32>) -> tensor<?x1024x2x2xf32>
    attributes {dycl.weights = array<i64: 1, 2>} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x1024x5x5xf32>
  %empty = tensor.empty(%n) : tensor<?x1024x2x2xf32>
  %init = linalg.broadcast ins(%b : tensor<1024xf32>)
    outs(%empty : tensor<?x1024x2x2xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw
    {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
    ins(%x, %w : tensor<?x1024x5x5xf32>, tensor<1024x1024x3x3xf32>)
    outs(%init : tensor<?x1024x2x2xf32>) -> tensor<?x1024x2x2xf32>
  return %y : tensor<?x1024x2x2xf32>
}
