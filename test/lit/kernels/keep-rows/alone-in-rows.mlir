// Rows come in, and rows are wanted: neighbours along a row are the lanes.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s --target x86-64-v4 -p cpu-keep-rows,cpu-block-contractions | filecheck %s

// CHECK-LABEL: func.func @one_tap
// CHECK: %[[W:.*]] = linalg.pack %arg1 {{.*}} tensor<40x24x1x1xf32> -> tensor<3x24x1x1x16xf32>
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK-SAME: (d0, d4, d2, d3)
// CHECK-SAME: (d1 floordiv 16, d4, 0, 0, d1 mod 16)
// CHECK-SAME: ins(%arg0, %[[W]]
// CHECK-SAME: dycl.nest = "conv-rows"
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[Y]]
// CHECK: return %[[R]]
func.func @one_tap(%x: tensor<1x24x8x8xf32>, %w: tensor<40x24x1x1xf32>,
                   %i: tensor<1x40x8x8xf32>) -> tensor<1x40x8x8xf32> {
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x24x8x8xf32>, tensor<40x24x1x1xf32>)
      outs(%i : tensor<1x40x8x8xf32>) -> tensor<1x40x8x8xf32>
  %r = linalg.generic {indexing_maps = [
        affine_map<(a, b, c, d) -> (a, b, c, d)>,
        affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x40x8x8xf32>) outs(%i : tensor<1x40x8x8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %n = arith.negf %a : f32
      linalg.yield %n : f32
  } -> tensor<1x40x8x8xf32>
  return %r : tensor<1x40x8x8xf32>
}

// A bias is an elementwise op, which the nest may begin with.
// CHECK-LABEL: func.func @depthwise
// CHECK: %[[I:.*]] = linalg.generic {{.*}} ins(%arg2 : tensor<20xf32>)
// CHECK: linalg.generic
// CHECK-SAME: (d0, d1, d2 * 2 + d4, d3 * 2 + d5)
// CHECK-SAME: ins(%arg0, %arg1 {{.*}} outs(%[[I]]
// CHECK-SAME: dycl.nest = "depthwise-rows"
// CHECK-NOT: linalg.unpack
// CHECK: return
func.func @depthwise(%x: tensor<1x20x33x33xf32>, %w: tensor<20x3x3xf32>,
                     %b: tensor<20xf32>) -> tensor<1x20x16x16xf32> {
  %e = tensor.empty() : tensor<1x20x16x16xf32>
  %i = linalg.broadcast ins(%b : tensor<20xf32>)
      outs(%e : tensor<1x20x16x16xf32>) dimensions = [0, 2, 3]
  %y = linalg.depthwise_conv_2d_nchw_chw
      {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>}
      ins(%x, %w : tensor<1x20x33x33xf32>, tensor<20x3x3xf32>)
      outs(%i : tensor<1x20x16x16xf32>) -> tensor<1x20x16x16xf32>
  return %y : tensor<1x20x16x16xf32>
}
