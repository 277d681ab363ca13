// A double is compared with a double as it is.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-compare-in-element-type | filecheck %s

#map = affine_map<(d0) -> (d0)>

// CHECK: arith.cmpf oge, %in, %arg1 : f64
// CHECK-NOT: arith.truncf
func.func @k(%x: tensor<3xf64>, %n: f64) -> tensor<3xi1> {
  %0 = tensor.empty() : tensor<3xi1>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<3xf64>) outs(%0 : tensor<3xi1>) {
  ^bb0(%in: f64, %out: i1):
    %c = arith.cmpf oge, %in, %n : f64
    linalg.yield %c : i1
  } -> tensor<3xi1>
  return %1 : tensor<3xi1>
}
