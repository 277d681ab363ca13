// Sixteen registers of eight lanes hold six sums of sixteen, thirty-two hold 24.
// REQUIRES: torch-mlir
// RUN: sed 's/@TARGET@/x86-64-v3/' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=NARROW
// RUN: sed 's/@TARGET@/x86-64-v4/' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=WIDE

// NARROW: :6 = scf.for
// NARROW-NOT: :24 = scf.for
// WIDE: :24 = scf.for
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#y = affine_map<(m, n, k) -> (m, n)>
module attributes {dycl.target = "@TARGET@"} {
  func.func @k(%x: memref<24x32xf32>, %w: memref<1x32x16xf32>, %out: memref<24x16xf32>) {
    linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<24x32xf32>, memref<1x32x16xf32>) outs(%out : memref<24x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    return
  }
}
