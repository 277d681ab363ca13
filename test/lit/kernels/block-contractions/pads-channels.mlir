// 24 channels are two blocks; what is in the last 8 lanes is not multiplied.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-contractions,canonicalize | filecheck %s

// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[C24:.*]] = arith.constant 24 : index
// CHECK: linalg.pack %arg0 padding_value(%[[ZERO]] : f32)
// CHECK-SAME: -> tensor<1x2x4x4x16xf32>
// CHECK: dycl.valid = 24 : i64
// CHECK: %[[REAL:.*]] = arith.cmpi ult, %{{.*}}, %[[C24]] : index
// CHECK: %[[X:.*]] = arith.select %[[REAL]], %in, %[[ZERO]] : f32
// CHECK: arith.mulf %[[X]]
func.func @k(%x: tensor<1x24x4x4xf32>, %w: tensor<16x24x1x1xf32>,
             %i: tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x24x4x4xf32>, tensor<16x24x1x1xf32>)
      outs(%i : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
  return %y : tensor<1x16x4x4xf32>
}
