// f32 is reached, and left, in one step.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-narrow-by-f32 | filecheck %s

// CHECK: arith.truncf %arg0 : f64 to f32
// CHECK: arith.truncf %arg1 : f32 to f16
// CHECK-NOT: arith.truncf
func.func @k(%x: f64, %y: f32) -> (f32, f16) {
  %h = arith.truncf %x : f64 to f32
  %g = arith.truncf %y : f32 to f16
  return %h, %g : f32, f16
}
