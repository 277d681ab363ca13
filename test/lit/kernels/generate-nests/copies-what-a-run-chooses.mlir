// What lies at a place that a run decides is copied in front of a nest that reads it
// often; a matrix that is read once is not worth it, and stays in plain loops.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests | filecheck %s

// CHECK-LABEL: func.func @row
// CHECK:         %[[ROW:.*]] = memref.alloc() : memref<1x32xf32>
// CHECK-NEXT:    memref.copy %{{.*}}, %[[ROW]]
// CHECK-NEXT:    call @nest.0(%[[ROW]], %arg1, %arg2)
// CHECK-LABEL: func.func @matrix
// CHECK-NOT:     call
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n floordiv 16, k, n mod 16)>
#y = affine_map<(m, n, k) -> (m, n)>
func.func @row(%x: memref<1x32xf32, strided<[32, 1], offset: ?>>, %w: memref<1x32x16xf32>, %out: memref<1x16xf32>) {
  linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<1x32xf32, strided<[32, 1], offset: ?>>, memref<1x32x16xf32>) outs(%out : memref<1x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  }
  return
}
func.func @matrix(%x: memref<1x32xf32>, %w: memref<1x32x16xf32, strided<[512, 16, 1], offset: ?>>, %out: memref<1x16xf32>) {
  linalg.generic {dycl.nest = "matmul", indexing_maps = [#x, #w, #y],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<1x32xf32>, memref<1x32x16xf32, strided<[512, 16, 1], offset: ?>>) outs(%out : memref<1x16xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  }
  return
}
