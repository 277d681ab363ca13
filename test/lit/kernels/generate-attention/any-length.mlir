// Queries and keys that a run counts: pointers and sizes; lanes and keys beyond the last
// one are those of the last one.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-attention | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: %[[L:.*]] = memref.dim %arg0
// CHECK: %[[S:.*]] = memref.dim %arg1
// CHECK: call @attention.0(%[[L]], %[[S]],
// CHECK-LABEL: func.func private @attention.0(
// CHECK-SAME: %[[Q:.*]]: index, %[[K:.*]]: index, %{{.*}}: memref<1xf32>
// CHECK: arith.remui %[[Q]]
// CHECK: arith.remui %[[K]]
// CHECK: arith.minui
// CHECK: arith.select
func.func @k(%q: memref<1x2x?x16xf32>, %k: memref<1x2x?x16xf32>,
             %v: memref<1x2x?x16xf32>, %o: memref<1x2x?x16xf32>) {
  linalg.generic {dycl.nest = "attention",
                  dycl.attention = {scale = 0.25 : f64, fills = false,
                                    is_causal = false, empty_is_zero = true},
                  indexing_maps = [affine_map<(n, h, l, s, d, e) -> (n, h, l, d)>,
                                   affine_map<(n, h, l, s, d, e) -> (n, h, s, d)>,
                                   affine_map<(n, h, l, s, d, e) -> (n, h, s, e)>,
                                   affine_map<(n, h, l, s, d, e) -> (n, h, l, e)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction",
                                    "reduction", "parallel"]}
    ins(%q, %k, %v : memref<1x2x?x16xf32>, memref<1x2x?x16xf32>, memref<1x2x?x16xf32>)
    outs(%o : memref<1x2x?x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  }
  return
}
