// Rounded twice, as eager does it.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-narrow-by-f32 | filecheck %s

// CHECK: %[[F:.*]] = arith.truncf %arg0 : f64 to f32
// CHECK: arith.truncf %[[F]] : f32 to bf16
func.func @k(%x: f64) -> bf16 {
  %h = arith.truncf %x : f64 to bf16
  return %h : bf16
}
