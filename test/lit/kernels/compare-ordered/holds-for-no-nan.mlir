// `x <= y` is false where either is a NaN.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-compare-ordered | filecheck %s

// CHECK: arith.cmpf ole, %arg0, %arg1
func.func @k(%x: f32, %y: f32) -> i1 {
  %c = arith.cmpf ule, %x, %y : f32
  return %c : i1
}
