// Each result is rounded, by its bits; none of the roundings may be left out.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-expand-bf16 | filecheck %s

// CHECK-LABEL: func.func @k
// CHECK: %[[E:.*]] = math.exp {{.*}} : f32
// CHECK: arith.cmpf une, %[[E]], %[[E]]
// CHECK: arith.bitcast %[[E]]
// CHECK: arith.shrui
// CHECK: arith.trunci {{.*}} : i32 to i16
// CHECK: arith.addf {{.*}} : f32
// CHECK: arith.trunci {{.*}} : i32 to i16
// CHECK-NOT: arith.truncf
// CHECK-NOT: fastmath
// CHECK: return
func.func @k(%x: bf16, %y: bf16) -> bf16 {
  %e = math.exp %x : bf16
  %z = arith.addf %e, %y : bf16
  return %z : bf16
}

// CHECK-LABEL: func.func @none
// CHECK-NEXT: arith.truncf
func.func @none(%x: f32) -> f16 {
  %y = arith.truncf %x : f32 to f16
  return %y : f16
}
