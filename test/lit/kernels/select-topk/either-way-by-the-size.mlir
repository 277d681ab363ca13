// Where a run decides the size of a row, it decides between a heap and parts.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-select-topk | filecheck %s

// CHECK-LABEL: @k
// CHECK: %[[N:.*]] = memref.dim %arg0
// CHECK: %[[ROW:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[ROW]]
// CHECK: func.call @topk.0.topk(%[[V]], %{{.*}}, %[[N]]) : (memref<1xf32>, memref<1xi64>, index) -> ()
// CHECK: func.func private @topk.0.topk(%{{.*}}, %{{.*}}, %[[SIZE:.*]]: index)
// CHECK: %[[LONG:.*]] = arith.cmpi uge, %[[SIZE]], %c128
// CHECK: scf.if %[[LONG]] {
// CHECK: func.call @topk.0.unheap
// CHECK: } else {
// CHECK: func.call @topk.0.nth
func.func @k(%v: memref<3x?xf32>, %i: memref<3x?xi64>) {
  tm_tensor.sort {dycl.topk = {k = 2 : i64, largest = true, sorted = true}} dimension(1) outs(%v, %i : memref<3x?xf32>, memref<3x?xi64>) {
  ^bb0(%a: f32, %b: f32, %c: i64, %d: i64):
    %0 = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %0 : i1
  }
  return
}
