// Who puts the channels of all groups together reads blocks: nothing is unpacked there.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-block-groups,cpu-propagate-blocks,canonicalize | filecheck %s

// CHECK: linalg.pack
// CHECK: linalg.generic
// CHECK-SAME: dycl.nest = "grouped"
// CHECK-NOT: linalg.unpack
// CHECK-NOT: linalg.pack
// CHECK: arith.maximumf
// CHECK: linalg.unpack
#same = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @k(%x: tensor<1x4x4x6x6xf32>, %w: tensor<4x4x4x3x3xf32>) -> tensor<1x16x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x4x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x4x4x4xf32>) -> tensor<1x4x4x4x4xf32>
  %y = linalg.conv_2d_ngchw_gfchw
      {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>}
      ins(%x, %w : tensor<1x4x4x6x6xf32>, tensor<4x4x4x3x3xf32>)
      outs(%i : tensor<1x4x4x4x4xf32>) -> tensor<1x4x4x4x4xf32>
  %c = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : tensor<1x4x4x4x4xf32> into tensor<1x16x4x4xf32>
  %o = tensor.empty() : tensor<1x16x4x4xf32>
  %r = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<1x16x4x4xf32>) outs(%o : tensor<1x16x4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x16x4x4xf32>
  return %r : tensor<1x16x4x4xf32>
}
