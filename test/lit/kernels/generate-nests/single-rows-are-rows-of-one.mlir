// A batch of single rows that meet one packed matrix is tiled as its rows are.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests | filecheck %s

// CHECK: :24 = scf.for
#x = affine_map<(b, m, n, k) -> (b, m, k)>
#w = affine_map<(b, m, n, k) -> (n floordiv 16, k, n mod 16)>
#y = affine_map<(b, m, n, k) -> (b, m, n)>
module attributes {dycl.target = "x86-64-v4"} {
  func.func @k(%x: memref<24x1x32xf32>, %w: memref<1x32x16xf32>, %out: memref<24x1x16xf32>) {
    linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
        iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : memref<24x1x32xf32>, memref<1x32x16xf32>) outs(%out : memref<24x1x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    return
  }
}
