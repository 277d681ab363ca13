// An image of 2 MiB is read strip by strip: 8 rows, all filters of them, then the next.
// A small one is read once for each step over filters.
// REQUIRES: torch-mlir
// RUN: sed 's/@H@/64/g' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=STRIPS
// RUN: sed 's/@H@/8/g' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=WHOLE

// STRIPS-LABEL: func.func private @nest.0
// STRIPS:      scf.for %[[STRIP:.*]] = %c0{{.*}} to %c64{{.*}} step %c8
// STRIPS-NEXT:   scf.for %[[F:.*]] = %c0{{.*}} to %c4{{.*}} step %c2
// STRIPS-NEXT:     scf.for %[[ROW:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
// STRIPS-NEXT:       %[[H:.*]] = arith.addi %[[STRIP]], %[[ROW]]
// STRIPS:            memref.load %{{.*}}[%{{.*}}, %{{.*}}, %[[H]],

// WHOLE-LABEL: func.func private @nest.0
// WHOLE:      scf.for %[[F:.*]] = %c0{{.*}} to %c4{{.*}} step %c2
// WHOLE-NEXT:   scf.for %[[H:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
#x = affine_map<(n, f, h, w, v, c, u) -> (n, c, h, w, u)>
#w = affine_map<(n, f, h, w, v, c, u) -> (f, c, u, v)>
#y = affine_map<(n, f, h, w, v, c, u) -> (n, f, h, w, v)>
module attributes {dycl.target = "x86-64-v4"} {
  func.func @k(%x: memref<1x8x@H@x64x16xf32>, %w: memref<4x8x16x16xf32>, %out: memref<1x4x@H@x64x16xf32>) {
    linalg.generic {dycl.nest = "conv", indexing_maps = [#x, #w, #y],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w : memref<1x8x@H@x64x16xf32>, memref<4x8x16x16xf32>) outs(%out : memref<1x4x@H@x64x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    return
  }
}
