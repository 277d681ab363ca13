// A quotient of sizes is guarded; one by a constant, or of elements, is left alone.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-guard-divisions | filecheck %s

// CHECK: func.func @k
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %arg1, %[[ZERO]] : i64
// CHECK: %[[BY:.*]] = arith.select %[[NONE]], %[[ONE]], %arg1 : i64
// CHECK: arith.divsi %arg0, %[[BY]] : i64
// CHECK: arith.divsi %arg0, %c16_i64 : i64
// CHECK: linalg.generic
// CHECK-NOT: arith.select
// CHECK: arith.divsi
func.func @k(%all: i64, %known: i64, %x: tensor<4xi64>) -> (i64, i64, tensor<4xi64>) {
  %c16 = arith.constant 16 : i64
  %rest = arith.divsi %all, %known : i64
  %part = arith.divsi %all, %c16 : i64
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi64>) outs(%x : tensor<4xi64>) {
  ^bb0(%in: i64, %out: i64):
    %q = arith.divsi %in, %out : i64
    linalg.yield %q : i64
  } -> tensor<4xi64>
  return %rest, %part, %y : i64, i64, tensor<4xi64>
}
