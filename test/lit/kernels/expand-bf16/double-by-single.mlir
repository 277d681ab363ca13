// Between bf16 and f64 stands f32, both ways.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-expand-bf16 | filecheck %s

// CHECK-LABEL: func.func @widen
// CHECK-NOT: arith.extf {{.*}} : bf16
// CHECK: arith.shli
// CHECK-NEXT: %[[S:.*]] = arith.bitcast {{.*}} : i32 to f32
// CHECK-NEXT: %[[D:.*]] = arith.extf %[[S]] : f32 to f64
// CHECK-NEXT: return %[[D]]
func.func @widen(%x: bf16) -> f64 {
  %y = arith.extf %x : bf16 to f64
  return %y : f64
}

// CHECK-LABEL: func.func @narrow
// CHECK: %[[S:.*]] = arith.truncf {{.*}} : vector<4xf64> to vector<4xf32>
// CHECK: arith.bitcast %[[S]] : vector<4xf32> to vector<4xi32>
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @narrow(%x: vector<4xf64>) -> vector<4xbf16> {
  %y = arith.truncf %x : vector<4xf64> to vector<4xbf16>
  return %y : vector<4xbf16>
}
