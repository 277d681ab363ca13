// An image of 2 MiB is read strip by strip: 7 rows, all filters of them, then the next.
// A small one is read once for each step over filters. Where a row ends where the next
// one begins, a strip is of pixels, and what the next tile reads is asked for.
// REQUIRES: torch-mlir
// RUN: sed 's/@H@/64/g; s/@W@/65/g' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=STRIPS
// RUN: sed 's/@H@/7/g; s/@W@/65/g' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=WHOLE
// RUN: sed 's/@H@/64/g; s/@W@/64/g' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=PIXELS

// STRIPS-LABEL: func.func private @nest.0
// STRIPS:      scf.for %[[STRIP:.*]] = %c0{{.*}} to %c63{{.*}} step %c7
// STRIPS-NEXT:   scf.for %[[F:.*]] = %c0{{.*}} to %c4{{.*}} step %c2
// STRIPS-NEXT:     scf.for %[[ROW:.*]] = %c0{{.*}} to %c7{{.*}} step %c1
// STRIPS-NEXT:       %[[H:.*]] = arith.addi %[[STRIP]], %[[ROW]]
// STRIPS:            memref.load %{{.*}}[%{{.*}}, %{{.*}}, %[[H]],

// WHOLE-LABEL: func.func private @nest.0
// WHOLE:      scf.for %[[F:.*]] = %c0{{.*}} to %c4{{.*}} step %c2
// WHOLE-NEXT:   scf.for %[[H:.*]] = %c0{{.*}} to %c7{{.*}} step %c1

// PIXELS-LABEL: func.func private @nest.0
// PIXELS:      memref.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3], [4]] : {{.*}} into memref<1x8x4096x16xf32>
// PIXELS:      scf.for %[[STRIP:.*]] = %c0{{.*}} to %c3696{{.*}} step %c462
// PIXELS-NEXT:   scf.for %[[F:.*]] = %c0{{.*}} to %c4{{.*}} step %c2
// PIXELS-NEXT:     scf.for %[[TILE:.*]] = %c0{{.*}} to %c462{{.*}} step %c14
// PIXELS-NEXT:       %[[AT:.*]] = arith.addi %[[STRIP]], %[[TILE]]
// PIXELS:            memref.prefetch %{{.*}}[%c0{{.*}}, %[[F]], %[[AT]], %c0{{.*}}], write
// PIXELS:            scf.for %[[C:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
// PIXELS:              %[[NEXT:.*]] = arith.addi %[[AT]], %c14
// PIXELS:              memref.prefetch %{{.*}}[%c0{{.*}}, %[[C]], %[[NEXT]], %c0{{.*}}], read
#x = affine_map<(n, f, h, w, v, c, p, q, u) -> (n, c, h + p, w + q, u)>
#w = affine_map<(n, f, h, w, v, c, p, q, u) -> (f, c, p, q, u, v)>
#y = affine_map<(n, f, h, w, v, c, p, q, u) -> (n, f, h, w, v)>
module attributes {dycl.target = "x86-64-v4"} {
  func.func @k(%x: memref<1x8x@H@x@W@x16xf32>, %w: memref<4x8x1x1x16x16xf32>, %out: memref<1x4x@H@x64x16xf32>) {
    linalg.generic {dycl.nest = "conv", indexing_maps = [#x, #w, #y],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
        ins(%x, %w : memref<1x8x@H@x@W@x16xf32>, memref<4x8x1x1x16x16xf32>) outs(%out : memref<1x4x@H@x64x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    return
  }
}
