// The sums themselves are copied out: they are written to memory.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests | filecheck %s

// CHECK: call @nest.0(%arg0, %arg1, %[[SUMS:[^,)]*]])
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[SUMS]] :
// CHECK: memref.copy %[[SUMS]], %arg3
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#y = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
func.func @k(%x: memref<4x32xf32>, %w: memref<1x32x16xf32>, %out: memref<4x16xf32>, %z: memref<4x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<4x16xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<4x16xf32>)
  linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<4x32xf32>, memref<1x32x16xf32>) outs(%t : memref<4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<4x16xf32>) outs(%out : memref<4x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  }
  memref.copy %t, %z : memref<4x16xf32> to memref<4x16xf32>
  return
}
