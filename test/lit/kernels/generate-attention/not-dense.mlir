// Queries that do not lie one behind the other are copied first.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-attention | filecheck %s

// CHECK: %[[Q:.*]] = memref.alloc() : memref<1x1x16x4xf32>
// CHECK: memref.copy {{.*}}, %[[Q]]
// CHECK: call @attention.0(%[[Q]], %arg1, %arg1, %arg2)
#q = affine_map<(n, h, l, s, d, e) -> (n, h, l, d)>
#k = affine_map<(n, h, l, s, d, e) -> (n, h, s, d)>
#v = affine_map<(n, h, l, s, d, e) -> (n, h, s, e)>
#o = affine_map<(n, h, l, s, d, e) -> (n, h, l, e)>
func.func @k(%x: memref<1x1x16x9xf32>, %k: memref<1x1x5x4xf32>,
             %o: memref<1x1x16x4xf32>) {
  %q = memref.subview %x[0, 0, 0, 5] [1, 1, 16, 4] [1, 1, 1, 1]
    : memref<1x1x16x9xf32> to memref<1x1x16x4xf32, strided<[144, 144, 9, 1], offset: 5>>
  linalg.generic {indexing_maps = [#q, #k, #v, #o],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction",
                        "parallel"],
      dycl.nest = "attention",
      dycl.attention = {empty_is_zero = true, fills = false, is_causal = false,
                        scale = 0.5 : f64}}
      ins(%q, %k, %k : memref<1x1x16x4xf32, strided<[144, 144, 9, 1], offset: 5>>,
                       memref<1x1x5x4xf32>, memref<1x1x5x4xf32>)
      outs(%o : memref<1x1x16x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    linalg.yield %d : f32
  }
  return
}
