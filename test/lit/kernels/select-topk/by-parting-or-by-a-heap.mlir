// Up to a 64th of a row is selected by a heap, more by parting the row.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-select-topk | filecheck %s

// CHECK-LABEL: @few
// CHECK: scf.for
// CHECK: func.call @topk.0.topk
// CHECK-LABEL: @many
// CHECK: func.call @topk.1.topk
// CHECK: func.func private @topk.0.unheap
// CHECK-NOT: @topk.0.partition
// CHECK: func.func private @topk.1.partition
// CHECK: func.func private @topk.1.topk
func.func @few(%v: memref<3x128xf32>, %i: memref<3x128xi64>) {
  tm_tensor.sort {dycl.topk = {k = 2 : i64, largest = true, sorted = true}} dimension(1) outs(%v, %i : memref<3x128xf32>, memref<3x128xi64>) {
  ^bb0(%a: f32, %b: f32, %c: i64, %d: i64):
    %0 = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %0 : i1
  }
  return
}
func.func @many(%v: memref<3x8xi32>, %i: memref<3x8xi64>) {
  tm_tensor.sort {dycl.topk = {k = 2 : i64, largest = true, sorted = true}} dimension(1) outs(%v, %i : memref<3x8xi32>, memref<3x8xi64>) {
  ^bb0(%a: i32, %b: i32, %c: i64, %d: i64):
    %0 = arith.cmpi sgt, %a, %b : i32
    tm_tensor.yield %0 : i1
  }
  return
}
