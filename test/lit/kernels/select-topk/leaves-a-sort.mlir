// A sort that is one keeps equal elements in order; `cpu-merge-sorts` writes it out.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-select-topk | filecheck %s

// CHECK: tm_tensor.sort
// CHECK-NOT: func.func private
func.func @k(%v: memref<8xf32>, %i: memref<8xi64>) {
  tm_tensor.sort dimension(0) outs(%v, %i : memref<8xf32>, memref<8xi64>) {
  ^bb0(%a: f32, %b: f32, %c: i64, %d: i64):
    %0 = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %0 : i1
  }
  return
}
