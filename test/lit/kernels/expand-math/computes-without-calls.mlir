// exp of f32, as a scalar and as a vector, has no call; f64 and sin are left to libm.
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

// A square is a product, as in eager, and a root a root.
// CHECK-LABEL: func.func @powers
// CHECK: %[[SQUARE:.*]] = arith.mulf %arg0, %arg0
// CHECK: %[[ROOT:.*]] = math.sqrt %arg0
// CHECK: %[[OTHER:.*]] = math.powf
// CHECK: return %[[SQUARE]], %[[ROOT]], %[[OTHER]]
func.func @powers(%x: f32) -> (f32, f32, f32) {
  %two = arith.constant 2.0 : f32
  %half = arith.constant 0.5 : f32
  %other = arith.constant 2.5 : f32
  %a = math.powf %x, %two : f32
  %b = math.powf %x, %half : f32
  %c = math.powf %x, %other : f32
  return %a, %b, %c : f32, f32, f32
}

// CHECK-LABEL: func.func @left
// CHECK: math.exp %{{.*}} : f64
// CHECK: math.sin %{{.*}} : f32
func.func @left(%x: f64, %y: f32) -> (f64, f32) {
  %a = math.exp %x : f64
  %b = math.sin %y : f32
  return %a, %b : f64, f32
}
