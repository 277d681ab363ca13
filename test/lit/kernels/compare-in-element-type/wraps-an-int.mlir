// 300 is 44 beside an int8, as in eager.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-compare-in-element-type,canonicalize | filecheck %s

#map = affine_map<(d0) -> (d0)>

// CHECK: %[[C:.*]] = arith.constant 44 : i8
// CHECK: arith.cmpi eq, %in, %[[C]] : i8
func.func @k(%x: tensor<3xi8>) -> tensor<3xi1> {
  %n = arith.constant 300 : i64
  %0 = tensor.empty() : tensor<3xi1>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<3xi8>) outs(%0 : tensor<3xi1>) {
  ^bb0(%in: i8, %out: i1):
    %wide = arith.extsi %in : i8 to i64
    %c = arith.cmpi eq, %wide, %n : i64
    linalg.yield %c : i1
  } -> tensor<3xi1>
  return %1 : tensor<3xi1>
}
