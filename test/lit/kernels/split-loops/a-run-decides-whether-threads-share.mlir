// A run decides how many rows there are: two or more that are enough work are shared,
// fewer are one call of the same function, of which no thread is told.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-split-loops | filecheck %s

// CHECK-LABEL: func.func @k
// CHECK:      %[[ROWS:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<?x256xf32>
// CHECK:      %[[TOTAL:.*]] = arith.muli
// CHECK:      %[[WORK:.*]] = arith.divui %{{.*}}, %c16
// CHECK:      arith.cmpi uge, %[[ROWS]], %c2
// CHECK:      arith.cmpi uge, %[[WORK]], %c8000
// CHECK:      %[[MANY:.*]] = arith.andi
// CHECK:      scf.if %[[MANY]] {
// CHECK-NEXT:   func.call @loop.0(%{{.*}}, %[[ROWS]], %[[WORK]], %[[P:.*]], %[[N:.*]]) :
// CHECK-NEXT: } else {
// CHECK-NEXT:   func.call @loop.0(%{{.*}}, %[[ROWS]], %[[WORK]], %[[P]], %[[N]]) {dycl.alone} :
// CHECK-NEXT: }
// CHECK-NOT:  linalg.generic

// CHECK-LABEL: func.func private @loop.0(
// CHECK-SAME:  memref<f32> {llvm.noalias}
// CHECK-SAME:  dycl.split = -1
// CHECK:      %[[FIRST:.*]] = arith.divui
// CHECK:      %[[END:.*]] = arith.divui
// CHECK:      %[[COUNT:.*]] = arith.subi %[[END]], %[[FIRST]]
// CHECK:      memref.subview %{{.*}}[%[[FIRST]], 0] [%[[COUNT]], 256] [1, 1]
// CHECK:      memref.subview %{{.*}}[%[[FIRST]], 0] [%[[COUNT]], 256] [1, 1]
// CHECK:      linalg.generic
// CHECK:      math.tanh
module attributes {dycl.threads = 2 : i64} {
  func.func @k(%x: memref<?x256xf32>, %y: memref<?x256xf32>) {
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x256xf32>) outs(%y : memref<?x256xf32>) {
    ^bb0(%a: f32, %b: f32):
      %t = math.tanh %a : f32
      linalg.yield %t : f32
    }
    return
  }
}
