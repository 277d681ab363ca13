// A depthwise convolution and the 1x1 convolution that alone reads it are one nest: a
// strip of 8 rows of the first, into memory for 8 rows, then of the second.
// Not so where somebody else reads the first, where threads share the work, or where a
// small image is in the cache as a whole.
// REQUIRES: torch-mlir
// RUN: sed -e 's/@H@/64/g; s/@P@/66/g; s/@THREADS@//' %s | dycl-kernel-opt -p cpu-generate-nests,canonicalize | filecheck %s
// RUN: sed -e 's/@H@/64/g; s/@P@/66/g; s/@THREADS@//; s/^ *.. KEEPS//' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=TWO
// RUN: sed -e 's/@H@/64/g; s/@P@/66/g; s/@THREADS@/, dycl.threads = 2/' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=TWO
// RUN: sed -e 's/@H@/8/g; s/@P@/10/g; s/@THREADS@//' %s | dycl-kernel-opt -p cpu-generate-nests | filecheck %s --check-prefix=TWO

// CHECK-LABEL: func.func @k
// CHECK-NEXT:    %[[STRIP:.*]] = memref.alloc() : memref<1x8x8x64x16xf32>
// CHECK-NEXT:    call @nest.0(%arg0, %arg1, %[[STRIP]], %arg2, %arg3)
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @nest.0
// CHECK:         scf.for %[[S:.*]] = %c0{{.*}} to %c64{{.*}} step %c8
// CHECK-NEXT:      scf.for %[[B:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
// CHECK-NEXT:        scf.for %[[ROW:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
// CHECK:               vector.load %arg0
// CHECK:               vector.store %{{.*}}, %arg2[%{{.*}}, %[[B]], %[[ROW]],
// CHECK:           scf.for %[[F:.*]] = %c0{{.*}} to %c4{{.*}} step %c2
// CHECK-NEXT:        scf.for %[[ROW2:.*]] = %c0{{.*}} to %c8{{.*}} step %c1
// CHECK:               %[[H:.*]] = arith.addi %[[S]], %[[ROW2]]
// CHECK:               memref.load %arg2[%{{.*}}, %{{.*}}, %[[ROW2]],
// CHECK:               vector.store %{{.*}}, %arg4[%{{.*}}, %[[F]], %[[H]],

// TWO-LABEL: func.func @k
// TWO:         call @nest.0(%arg0, %arg1, %[[MID:[a-z0-9_]+]])
// TWO-NEXT:    call @nest.1(%[[MID]], %arg2, %arg3)
#x = affine_map<(n, f, h, w, v, p, q) -> (n, f, h + p, w + q, v)>
#d = affine_map<(n, f, h, w, v, p, q) -> (f, p, q, v)>
#m = affine_map<(n, f, h, w, v, p, q) -> (n, f, h, w, v)>
#i = affine_map<(n, f, h, w, v, c, p, q, u) -> (n, c, h + p, w + q, u)>
#w = affine_map<(n, f, h, w, v, c, p, q, u) -> (f, c, p, q, u, v)>
#y = affine_map<(n, f, h, w, v, c, p, q, u) -> (n, f, h, w, v)>
module attributes {dycl.target = "x86-64-v4"@THREADS@} {
  func.func @k(%x: memref<1x8x@P@x66x16xf32>, %w1: memref<8x3x3x16xf32>, %w2: memref<4x8x1x1x16x16xf32>, %out: memref<1x4x@H@x64x16xf32>, %kept: memref<1x8x@H@x64x16xf32>) {
    %zero = arith.constant 0.0 : f32
    %mid = memref.alloc() : memref<1x8x@H@x64x16xf32>
    linalg.fill ins(%zero : f32) outs(%mid : memref<1x8x@H@x64x16xf32>)
    linalg.generic {dycl.nest = "depthwise", indexing_maps = [#x, #d, #m],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
        ins(%x, %w1 : memref<1x8x@P@x66x16xf32>, memref<8x3x3x16xf32>) outs(%mid : memref<1x8x@H@x64x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    linalg.fill ins(%zero : f32) outs(%out : memref<1x4x@H@x64x16xf32>)
    linalg.generic {dycl.nest = "conv", indexing_maps = [#i, #w, #y],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
        ins(%mid, %w2 : memref<1x8x@H@x64x16xf32>, memref<4x8x1x1x16x16xf32>) outs(%out : memref<1x4x@H@x64x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    // KEEPS memref.copy %mid, %kept : memref<1x8x@H@x64x16xf32> to memref<1x8x@H@x64x16xf32>
    return
  }
}
