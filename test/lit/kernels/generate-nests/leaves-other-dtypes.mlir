// Integers become plain loops later.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests | filecheck %s

// CHECK-NOT: call
// CHECK: linalg.generic
// CHECK-NOT: @nest
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#y = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
func.func @k(%x: memref<4x32xi32>, %w: memref<1x32x16xi32>, %out: memref<4x16xi32>) {
  %zero = arith.constant 0 : i32
  %t = memref.alloc() : memref<4x16xi32>
  linalg.fill ins(%zero : i32) outs(%t : memref<4x16xi32>)
  linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<4x32xi32>, memref<1x32x16xi32>) outs(%t : memref<4x16xi32>) {
  ^bb0(%a: i32, %b: i32, %s: i32):
    %p = arith.muli %a, %b : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<4x16xi32>) outs(%out : memref<4x16xi32>) {
  ^bb0(%a: i32, %o: i32):
    %m = arith.maxsi %a, %zero : i32
    linalg.yield %m : i32
  }
  return
}
