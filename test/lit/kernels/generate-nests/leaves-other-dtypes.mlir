// Doubles become plain loops later.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests | filecheck %s

// CHECK-NOT: call
// CHECK: linalg.generic
// CHECK-NOT: @nest
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#y = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
func.func @k(%x: memref<4x32xf64>, %w: memref<1x32x16xf64>, %out: memref<4x16xf64>) {
  %zero = arith.constant 0.0 : f64
  %t = memref.alloc() : memref<4x16xf64>
  linalg.fill ins(%zero : f64) outs(%t : memref<4x16xf64>)
  linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<4x32xf64>, memref<1x32x16xf64>) outs(%t : memref<4x16xf64>) {
  ^bb0(%a: f64, %b: f64, %s: f64):
    %p = arith.mulf %a, %b : f64
    %q = arith.addf %s, %p : f64
    linalg.yield %q : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<4x16xf64>) outs(%out : memref<4x16xf64>) {
  ^bb0(%a: f64, %o: f64):
    %m = arith.maximumf %a, %zero : f64
    linalg.yield %m : f64
  }
  return
}
