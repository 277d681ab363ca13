// Where a run decides the inner loop, the outer one is cut, if it comes out even; in
// @odd two threads would have two rows and one, so the inner one is. What is the same
// for all rows, or for all columns, is cut only where it lies along the loop.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-loops | filecheck %s

// CHECK-LABEL: func.func private @loop.0(
// CHECK:      memref.subview %{{.*}}[%[[F:.*]], 0] [%[[C:.*]], %{{.*}}] [1, 1] : memref<64x?xf32>
// CHECK-NEXT: memref.subview %{{.*}}[%[[F]]] [%[[C]]] [1] : memref<64xf32>
// CHECK-NOT:  memref.subview %{{.*}} : memref<?xf32>
// CHECK:      memref.subview %{{.*}}[%[[F]], 0] [%[[C]], %{{.*}}] [1, 1] : memref<64x?xf32>

// CHECK-LABEL: func.func private @loop.1(
// CHECK:      memref.subview %{{.*}}[0, %[[F:.*]]] [3, %[[C:.*]]] [1, 1] : memref<3x?xf32>
// CHECK:      %[[I:.*]] = linalg.index 1
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[I]], %[[F]]
// CHECK:      arith.index_cast %[[AT]]
module attributes {dycl.threads = 2 : i64} {
  func.func @even(%x: memref<64x?xf32>, %r: memref<64xf32>, %c: memref<?xf32>, %y: memref<64x?xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %r, %c : memref<64x?xf32>, memref<64xf32>, memref<?xf32>) outs(%y : memref<64x?xf32>) {
    ^bb0(%a: f32, %b: f32, %d: f32, %e: f32):
      %s = arith.addf %a, %b : f32
      %t = arith.addf %s, %d : f32
      %u = math.exp %t : f32
      linalg.yield %u : f32
    }
    return
  }
  func.func @odd(%y: memref<3x?xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<3x?xf32>) {
    ^bb0(%e: f32):
      %j = linalg.index 1 : index
      %n = arith.index_cast %j : index to i64
      %f = arith.sitofp %n : i64 to f32
      %u = math.exp %f : f32
      linalg.yield %u : f32
    }
    return
  }
}
