// Elementwise op and padding move above the unpack, which then meets the pack.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-propagate-blocks,canonicalize | filecheck %s

// CHECK-NOT: linalg.pack
// CHECK-NOT: linalg.unpack
// CHECK: %[[Z:.*]] = linalg.generic
// CHECK-SAME: ins(%arg0 : tensor<1x2x4x4x16xf32>)
// CHECK: arith.maximumf
// CHECK: %[[P:.*]] = tensor.pad %[[Z]] low[0, 0, 1, 1, 0] high[0, 0, 1, 1, 0]
// CHECK: return %[[P]] : tensor<1x2x6x6x16xf32>
func.func @k(%yb: tensor<1x2x4x4x16xf32>) -> tensor<1x2x6x6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x4x4xf32>
  %y = linalg.unpack %yb inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<1x2x4x4x16xf32> -> tensor<1x32x4x4xf32>
  %z = linalg.generic {
      indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>,
                       affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x32x4x4xf32>) outs(%e : tensor<1x32x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x32x4x4xf32>
  %p = tensor.pad %z low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x32x4x4xf32> to tensor<1x32x6x6xf32>
  %eb = tensor.empty() : tensor<1x2x6x6x16xf32>
  %pb = linalg.pack %p inner_dims_pos = [1] inner_tiles = [16] into %eb
      : tensor<1x32x6x6xf32> -> tensor<1x2x6x6x16xf32>
  return %pb : tensor<1x2x6x6x16xf32>
}
