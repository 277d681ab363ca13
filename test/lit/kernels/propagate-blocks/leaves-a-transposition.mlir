// An elementwise op that permutes dimensions keeps its unpack.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-propagate-blocks | filecheck %s

// CHECK: %[[A:.*]] = linalg.unpack %arg0
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[A]] : tensor<1x16x16xf32>)
func.func @k(%ab: tensor<1x1x16x16xf32>) -> tensor<1x16x16xf32> {
  %e = tensor.empty() : tensor<1x16x16xf32>
  %a = linalg.unpack %ab inner_dims_pos = [1] inner_tiles = [16] into %e
      : tensor<1x1x16x16xf32> -> tensor<1x16x16xf32>
  %t = linalg.generic {
      indexing_maps = [affine_map<(a, b, c) -> (a, c, b)>,
                       affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<1x16x16xf32>) outs(%e : tensor<1x16x16xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<1x16x16xf32>
  return %t : tensor<1x16x16xf32>
}
