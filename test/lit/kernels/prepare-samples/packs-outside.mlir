// The kernel of one sample takes its weights as they are prepared where it is called.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-outline-samples,cpu-block-contractions,cpu-prepare-samples | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: linalg.pack %arg1
// CHECK: dycl.sample_of = @k.sample.0
// CHECK-LABEL: func.func private @k.sample.0(
// CHECK-NOT: tensor<16x16x3x3xf32>
// CHECK: dycl.nest = "conv"
// CHECK-NOT: @k.sample.0_prepare
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
