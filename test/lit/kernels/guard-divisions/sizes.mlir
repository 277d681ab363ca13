// A size may be 0; a constant is not, and what is done with elements is left alone.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-guard-divisions | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: %[[Z:.*]] = arith.cmpi eq, %arg1
// CHECK: %[[D:.*]] = arith.select %[[Z]], %{{.*}}, %arg1
// CHECK: arith.divsi %arg0, %[[D]]
// CHECK-NOT: arith.select
// CHECK: arith.divsi %arg0, %c8
// CHECK-NOT: arith.select
// CHECK: arith.divsi %in, %in
func.func @k(%n: i64, %m: i64, %x: tensor<4xi64>) -> (i64, i64, tensor<4xi64>) {
  %c8 = arith.constant 8 : i64
  %a = arith.divsi %n, %m : i64
  %b = arith.divsi %n, %c8 : i64
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
    ins(%x : tensor<4xi64>) outs(%x : tensor<4xi64>) {
  ^bb0(%in: i64, %out: i64):
    %q = arith.divsi %in, %in : i64
    linalg.yield %q : i64
  } -> tensor<4xi64>
  return %a, %b, %y : i64, i64, tensor<4xi64>
}
