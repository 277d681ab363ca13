// Rows and columns that a run counts; the result lies within a buffer with a border.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests --target x86-64-v4 | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: call @nest.0(
// CHECK-LABEL: func.func private @nest.0(
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [1, 1, %{{.*}}, %{{.*}}, 16]
// CHECK: scf.for
// CHECK: arith.remui
func.func @k(%x: memref<1x1x?x?x16xf32>, %w: memref<1x1x3x3x16x16xf32>,
             %b: memref<1x1x?x?x16xf32>, %h: index, %v: index) {
  %y = memref.subview %b[0, 0, 1, 1, 0] [1, 1, %h, %v, 16] [1, 1, 1, 1, 1]
      : memref<1x1x?x?x16xf32>
      to memref<1x1x?x?x16xf32, strided<[?, ?, ?, 16, 1], offset: ?>>
  linalg.generic {dycl.nest = "conv",
      indexing_maps = [
        affine_map<(n, f, h, w, v, c, p, q, u) -> (n, c, h + p, w + q, u)>,
        affine_map<(n, f, h, w, v, c, p, q, u) -> (f, c, p, q, u, v)>,
        affine_map<(n, f, h, w, v, c, p, q, u) -> (n, f, h, w, v)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction", "reduction"]}
    ins(%x, %w : memref<1x1x?x?x16xf32>, memref<1x1x3x3x16x16xf32>)
    outs(%y : memref<1x1x?x?x16xf32, strided<[?, ?, ?, 16, 1], offset: ?>>) {
  ^bb0(%a: f32, %c: f32, %t: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %t, %p : f32
    linalg.yield %s : f32
  }
  return
}
