// Elements of two tensors are compared in the type that torch promotes them to.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-compare-in-element-type | filecheck %s

#map = affine_map<(d0) -> (d0)>

// CHECK: %[[W:.*]] = arith.extf %in : f32 to f64
// CHECK: arith.cmpf oge, %[[W]], %in_0 : f64
func.func @k(%x: tensor<3xf32>, %y: tensor<3xf64>) -> tensor<3xi1> {
  %0 = tensor.empty() : tensor<3xi1>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%x, %y : tensor<3xf32>, tensor<3xf64>) outs(%0 : tensor<3xi1>) {
  ^bb0(%in: f32, %other: f64, %out: i1):
    %wide = arith.extf %in : f32 to f64
    %c = arith.cmpf oge, %wide, %other : f64
    linalg.yield %c : i1
  } -> tensor<3xi1>
  return %1 : tensor<3xi1>
}
