// Four pixels, moved to their groups' lanes once, make two sums of three taps.
// REQUIRES: torch-mlir
// RUN: sed 's/@TARGET@/x86-64-v4/' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s

// CHECK: func.func private @nest.0
// CHECK-COUNT-8: vector.shuffle
// CHECK-NOT: vector.shuffle
#x = affine_map<(n, f, h, w, v, p, q, j) -> (n, f, h + p, w + q, (v floordiv 2) * 2 + j)>
#w = affine_map<(n, f, h, w, v, p, q, j) -> (f, j, p, q, v)>
#y = affine_map<(n, f, h, w, v, p, q, j) -> (n, f, h, w, v)>
module attributes {dycl.target = "@TARGET@"} {
  func.func @k(%x: memref<1x1x1x4x16xf32>, %w: memref<1x2x1x3x16xf32>, %out: memref<1x1x1x2x16xf32>) {
    linalg.generic {dycl.nest = "grouped", indexing_maps = [#x, #w, #y],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%x, %w : memref<1x1x1x4x16xf32>, memref<1x2x1x3x16xf32>) outs(%out : memref<1x1x1x2x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    return
  }
}
