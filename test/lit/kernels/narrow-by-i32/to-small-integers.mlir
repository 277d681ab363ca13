// NaN is 0 as an int16, and 40,000 wraps around; to i32 goes one instruction.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-narrow-by-i32 | filecheck %s

// CHECK: %[[W:.*]] = arith.fptosi %arg0 : f32 to i32
// CHECK: %[[N:.*]] = arith.trunci %[[W]] : i32 to i16
// CHECK: %[[O:.*]] = arith.fptosi %arg0 : f32 to i32
// CHECK: return %[[N]], %[[O]]
func.func @k(%x: f32) -> (i16, i32) {
  %n = arith.fptosi %x : f32 to i16
  %m = arith.fptosi %x : f32 to i32
  return %n, %m : i16, i32
}
