// exp, pow and sin of f32 have no call; those of f64 are left to libm.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-expand-math,canonicalize,cse | filecheck %s

// CHECK-LABEL: func.func @scalar
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}} : f32
// CHECK: arith.shli %{{.*}} : i32
// CHECK: arith.bitcast %{{.*}} : i32 to f32
func.func @scalar(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @vector
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}} : vector<16xf32>
// CHECK: arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
func.func @vector(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// A square is a product, as in eager, and a root a root; other powers are computed in f64.
// CHECK-LABEL: func.func @powers
// CHECK: %[[SQUARE:.*]] = arith.mulf %arg0, %arg0
// CHECK: %[[ROOT:.*]] = math.sqrt %arg0
// CHECK-NOT: math.powf
// CHECK: math.fma %{{.*}} : f64
// CHECK: return %[[SQUARE]], %[[ROOT]], %
func.func @powers(%x: f32) -> (f32, f32, f32) {
  %two = arith.constant 2.0 : f32
  %half = arith.constant 0.5 : f32
  %other = arith.constant 2.5 : f32
  %a = math.powf %x, %two : f32
  %b = math.powf %x, %half : f32
  %c = math.powf %x, %other : f32
  return %a, %b, %c : f32, f32, f32
}

// CHECK-LABEL: func.func @sine
// CHECK-NOT: math.sin
// CHECK: math.fma %{{.*}} : f64
// CHECK: return
func.func @sine(%x: f32) -> f32 {
  %y = math.sin %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @left
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.sin %{{.*}} : f64
func.func @left(%x: f64) -> (f64, f64) {
  %a = math.exp %x : f64
  %b = math.sin %x : f64
  return %a, %b : f64, f64
}

// Near 0, MLIR's exp(x) - 1 has no digits left.
// CHECK-LABEL: func.func @doubles
// CHECK: %[[SERIES:.*]] = arith.mulf %{{.*}}, %arg0 : f64
// CHECK: %[[POWER:.*]] = math.exp %arg0 : f64
// CHECK: %[[FAR:.*]] = arith.subf %[[POWER]], %{{.*}} : f64
// CHECK: arith.select %{{.*}}, %[[SERIES]], %[[FAR]] : f64
func.func @doubles(%x: f64) -> f64 {
  %y = math.expm1 %x : f64
  return %y : f64
}
