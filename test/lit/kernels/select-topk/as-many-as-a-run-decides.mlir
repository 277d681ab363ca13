// A mark without a number: each row's first place says it, where there is a place.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-select-topk | filecheck %s

// CHECK-LABEL: @k
// CHECK: arith.cmpi ugt
// CHECK: scf.if
// CHECK: %[[P:.*]] = memref.load %arg1[%{{.*}}, %c0{{.*}}] : memref<3x8xi64>
// CHECK: %[[K:.*]] = arith.index_cast %[[P]] : i64 to index
// CHECK: %[[SOME:.*]] = arith.cmpi ugt, %[[K]]
// CHECK: scf.if %[[SOME]]
// CHECK: func.call @topk.0.topk(%{{.*}}, %{{.*}}, %[[K]]) : (memref<8xf32>, memref<8xi64>, index) -> ()
// CHECK: func.func private @topk.0.topk(%{{.*}}, %{{.*}}, %[[COUNT:.*]]: index)
// CHECK: arith.subi %[[COUNT]]
// CHECK: %[[LEAST:.*]] = arith.muli %[[COUNT]], %c64
// CHECK: arith.cmpi uge, %c8{{.*}}, %[[LEAST]]
func.func @k(%v: memref<3x8xf32>, %i: memref<3x8xi64>) {
  tm_tensor.sort {dycl.topk = {largest = true, sorted = true}} dimension(1) outs(%v, %i : memref<3x8xf32>, memref<3x8xi64>) {
  ^bb0(%a: f32, %b: f32, %c: i64, %d: i64):
    %0 = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %0 : i1
  }
  return
}
