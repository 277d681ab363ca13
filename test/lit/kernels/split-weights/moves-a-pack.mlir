// The pack of a weight moves to @k_prepare; its result is an argument of @k.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-weights | filecheck %s

// CHECK: func.func @k(%arg0: tensor<1x16xf32>, %arg1: tensor<1x16x16xf32>)
// CHECK-SAME: dycl.inputs_left = array<i64: 0>
// CHECK-NOT: linalg.pack
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0, %arg1
// CHECK: func.func @k_prepare(%arg0: tensor<16x16xf32>) -> tensor<1x16x16xf32>
// CHECK-SAME: dycl.prepares = array<i64: 1>
// CHECK: %[[W:.*]] = linalg.pack %arg0
// CHECK: return %[[W]]
func.func @k(%x: tensor<1x16xf32>, %w: tensor<16x16xf32>) -> tensor<1x16xf32>
    attributes {dycl.weights = array<i64: 1>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x16xf32>) -> tensor<1x16xf32>
  %eb = tensor.empty() : tensor<1x16x16xf32>
  %wb = linalg.pack %w outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [16]
      into %eb : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %y = linalg.generic {
      dycl.nest = "matmul",
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                       affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %wb : tensor<1x16xf32>, tensor<1x16x16xf32>)
      outs(%i : tensor<1x16xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %t, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x16xf32>
  return %y : tensor<1x16xf32>
}
