// A number is rounded to the type of the elements that it is compared with.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-compare-in-element-type | filecheck %s

#map = affine_map<(d0) -> (d0)>

// A constant is rounded here, another number in the kernel.
// CHECK: %[[C:.*]] = arith.constant 0.699999988 : f32
// CHECK: ^bb0(%in: f32, %out: i1):
// CHECK: arith.cmpf oge, %in, %[[C]] : f32
// CHECK: %[[N:.*]] = arith.truncf %arg1 : f64 to f32
// CHECK: ^bb0(%in: f32, %out: i1):
// CHECK: arith.cmpf olt, %[[N]], %in : f32
func.func @k(%x: tensor<3xf32>, %n: f64) -> (tensor<3xi1>, tensor<3xi1>) {
  %cst = arith.constant 0.7 : f64
  %0 = tensor.empty() : tensor<3xi1>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%0 : tensor<3xi1>) {
  ^bb0(%in: f32, %out: i1):
    %wide = arith.extf %in : f32 to f64
    %c = arith.cmpf oge, %wide, %cst : f64
    linalg.yield %c : i1
  } -> tensor<3xi1>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%0 : tensor<3xi1>) {
  ^bb0(%in: f32, %out: i1):
    %wide = arith.extf %in : f32 to f64
    %c = arith.cmpf olt, %n, %wide : f64
    linalg.yield %c : i1
  } -> tensor<3xi1>
  return %1, %2 : tensor<3xi1>, tensor<3xi1>
}
