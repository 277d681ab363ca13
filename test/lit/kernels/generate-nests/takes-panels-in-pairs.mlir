// Few rows take two panels of 48 columns together, in two parts each if it is one row.
// REQUIRES: torch-mlir
// RUN: sed 's/@ROWS@/1/g' %s | dycl-kernel-opt -p cpu-generate-nests --target x86-64-v4 | filecheck %s --check-prefix=ONE
// RUN: sed 's/@ROWS@/4/g' %s | dycl-kernel-opt -p cpu-generate-nests --target x86-64-v4 | filecheck %s --check-prefix=FOUR
// RUN: sed 's/@ROWS@/5/g' %s | dycl-kernel-opt -p cpu-generate-nests --target x86-64-v4 | filecheck %s --check-prefix=FIVE

// ONE: %[[PAIR:.*]] = arith.constant 96
// ONE: :12 = scf.for
// FOUR: :24 = scf.for
// FIVE: :15 = scf.for
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n floordiv 48, k, n mod 48)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @k(%x: memref<@ROWS@x32xf32>, %w: memref<4x32x48xf32>, %out: memref<@ROWS@x192xf32>) {
  linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<@ROWS@x32xf32>, memref<4x32x48xf32>) outs(%out : memref<@ROWS@x192xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  }
  return
}
