// A group and a single sample read the same prepared weights.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-outline-samples,cpu-block-contractions,cpu-prepare-samples | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: %[[W:.*]] = linalg.pack %arg1
// CHECK-NOT: linalg.pack
// CHECK: linalg.generic
// CHECK-SAME: ins({{.*}}%[[W]] : {{.*}})
// CHECK-SAME: dycl.sample_of = @k.sample.0.group
// CHECK: linalg.generic
// CHECK-SAME: ins({{.*}}%[[W]] : {{.*}})
// CHECK-SAME: dycl.sample_of = @k.sample.0}
// CHECK-LABEL: func.func private @k.sample.0(
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
