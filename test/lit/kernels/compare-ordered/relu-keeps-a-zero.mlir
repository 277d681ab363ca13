// relu gives 0.0 for what is less: NaN and -0.0 stay what they are, as in eager.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-compare-ordered | filecheck %s

// CHECK: %[[ZERO:[a-z0-9_]+]] = arith.constant 0.0
// CHECK: %[[LESS:[a-z0-9_]+]] = arith.cmpf olt, %arg0, %[[ZERO]]
// CHECK: arith.select %[[LESS]], %[[ZERO]], %arg0
func.func @k(%x: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c = arith.cmpf ugt, %x, %zero : f32
  %y = arith.select %c, %x, %zero : f32
  return %y : f32
}
