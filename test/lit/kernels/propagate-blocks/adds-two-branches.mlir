// A sum of two unpacked values is a sum of blocks.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-propagate-blocks,canonicalize | filecheck %s

// CHECK: %[[S:.*]] = linalg.generic
// CHECK-SAME: ins(%arg0, %arg1 : tensor<1x2x4x16xf32>, tensor<1x2x4x16xf32>)
// CHECK: linalg.unpack %[[S]]
// CHECK-NOT: linalg.unpack
func.func @k(%ab: tensor<1x2x4x16xf32>, %bb: tensor<1x2x4x16xf32>) -> tensor<1x24x4xf32> {
  %e = tensor.empty() : tensor<1x24x4xf32>
  %a = linalg.unpack %ab inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<1x2x4x16xf32> -> tensor<1x24x4xf32>
  %b = linalg.unpack %bb inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<1x2x4x16xf32> -> tensor<1x24x4xf32>
  %t = linalg.generic {
      indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>,
                       affine_map<(a, b, c) -> (a, b, c)>,
                       affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<1x24x4xf32>, tensor<1x24x4xf32>)
      outs(%e : tensor<1x24x4xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %m = arith.addf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<1x24x4xf32>
  return %t : tensor<1x24x4xf32>
}
