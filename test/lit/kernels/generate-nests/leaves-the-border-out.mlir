// Products with zeros around a map of 4x4 are left out. The image is read where it is
// before it is padded, and so nobody pads it any more.
// Where few products are with zeros, or the border holds something else, it is read.
// REQUIRES: torch-mlir
// RUN: sed 's/@H@/4/g; s/@P@/6/g; s/@VALUE@/0.0/' %s | dycl-kernel-opt -p cpu-fill-borders,cpu-generate-nests,canonicalize | filecheck %s
// RUN: sed 's/@H@/64/g; s/@P@/66/g; s/@VALUE@/0.0/' %s | dycl-kernel-opt -p cpu-fill-borders,cpu-generate-nests | filecheck %s --check-prefix=PADDED
// RUN: sed 's/@H@/4/g; s/@P@/6/g; s/@VALUE@/1.0/' %s | dycl-kernel-opt -p cpu-fill-borders,cpu-generate-nests | filecheck %s --check-prefix=PADDED

// CHECK-LABEL: func.func @k
// CHECK-NEXT:    call @nest.0(%arg0, %arg1, %arg2)
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @nest.0
// Three rows of four pixels and two blocks; above the first there is nothing, and beside
// two rows of four pixels three have a neighbour.
// CHECK:         %{{.*}}:24 = scf.for
// CHECK-NEXT:      %{{.*}}:12 = scf.for
// CHECK:           %{{.*}}:16 = scf.for
// CHECK:           %{{.*}}:12 = scf.for
// CHECK:           %{{.*}}:24 = scf.for %{{.*}} = %c1 to %c3 step %c1
// CHECK-NEXT:        %{{.*}}:18 = scf.for
// CHECK:             %{{.*}}:24 = scf.for
// CHECK:             %{{.*}}:18 = scf.for
// The last row: two rows of the window.
// CHECK:         %{{.*}}:8 = scf.for
// CHECK-NEXT:      %{{.*}}:8 = scf.for %{{.*}} = %c0{{.*}} to %c2{{.*}} step %c1
// CHECK-NEXT:        %{{.*}}:6 = scf.for

// PADDED-LABEL: func.func @k
// PADDED:         memref.copy %arg0, %[[INSIDE:[a-z0-9_]+]]
// PADDED:         call @nest.0(%[[PADDED:[a-z0-9_]+]], %arg1, %arg2)
#layout4 = strided<[1152, 576, 96, 16, 1], offset: 112>
#layout64 = strided<[139392, 69696, 1056, 16, 1], offset: 1072>
#x = affine_map<(n, f, h, w, v, c, p, q, u) -> (n, c, h + p, w + q, u)>
#w = affine_map<(n, f, h, w, v, c, p, q, u) -> (f, c, p, q, u, v)>
#y = affine_map<(n, f, h, w, v, c, p, q, u) -> (n, f, h, w, v)>
module attributes {dycl.target = "x86-64-v4"} {
  func.func @k(%x: memref<1x2x@H@x@H@x16xf32>, %w: memref<8x2x3x3x16x16xf32>, %out: memref<1x8x@H@x@H@x16xf32>) {
    %value = arith.constant @VALUE@ : f32
    %padded = memref.alloc() : memref<1x2x@P@x@P@x16xf32>
    linalg.fill ins(%value : f32) outs(%padded : memref<1x2x@P@x@P@x16xf32>)
    %inside = memref.subview %padded[0, 0, 1, 1, 0] [1, 2, @H@, @H@, 16] [1, 1, 1, 1, 1]
        : memref<1x2x@P@x@P@x16xf32> to memref<1x2x@H@x@H@x16xf32, #layout@H@>
    memref.copy %x, %inside : memref<1x2x@H@x@H@x16xf32> to memref<1x2x@H@x@H@x16xf32, #layout@H@>
    linalg.generic {dycl.nest = "conv", indexing_maps = [#x, #w, #y],
        iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction"]}
        ins(%padded, %w : memref<1x2x@P@x@P@x16xf32>, memref<8x2x3x3x16x16xf32>) outs(%out : memref<1x8x@H@x@H@x16xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %p = arith.mulf %a, %b : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
    }
    return
  }
}
