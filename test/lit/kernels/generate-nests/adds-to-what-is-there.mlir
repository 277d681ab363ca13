// Without a fill the sums start with what is in memory.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests | filecheck %s

// CHECK: call @nest.0(%arg0, %arg1, %arg2)
// CHECK: func.func private @nest.0(%{{.*}}, %[[OUT:[^:]*]]: memref<4x16xf32>)
// CHECK: vector.load %[[OUT]]
// CHECK: vector.fma
// CHECK: vector.store
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @k(%x: memref<4x32xf32>, %w: memref<1x32x16xf32>, %out: memref<4x16xf32>) {
  linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<4x32xf32>, memref<1x32x16xf32>) outs(%out : memref<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  }
  return
}
