// Where registers are few, all taps over a channel that is not in blocks are one step.
// REQUIRES: torch-mlir
// RUN: sed 's/@TARGET@/x86-64-v3/' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=NARROW
// RUN: sed 's/@TARGET@/x86-64-v4/' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=WIDE

// NARROW: iter_args
// NARROW-NOT: iter_args
// NARROW-COUNT-6: memref.load
// NARROW-NOT: memref.load
// NARROW: scf.yield
// WIDE-COUNT-3: iter_args
#x = affine_map<(n, f, h, w, v, c, p, q) -> (n, c, h + p, w + q)>
#w = affine_map<(n, f, h, w, v, c, p, q) -> (f, c, p, q, v)>
#y = affine_map<(n, f, h, w, v, c, p, q) -> (n, f, h, w, v)>
module attributes {dycl.target = "@TARGET@"} {
  func.func @k(%x: memref<1x3x2x3xf32>, %w: memref<1x3x2x2x16xf32>, %out: memref<1x1x1x2x16xf32>) {
    linalg.generic {dycl.nest = "conv", indexing_maps = [#x, #w, #y],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
        ins(%x, %w : memref<1x3x2x3xf32>, memref<1x3x2x2x16xf32>) outs(%out : memref<1x1x1x2x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    return
  }
}
