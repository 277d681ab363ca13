// A buffer that is copied to a result at the end is the result from the beginning.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-compute-in-results | filecheck %s

// CHECK: func.func @k
// CHECK-NEXT: memref.copy %arg0, %arg1
// CHECK-NEXT: linalg.fill {{.*}} outs(%arg1
// CHECK-NEXT: return
func.func @k(%x: memref<4xf32>, %y: memref<4xf32>, %v: f32) {
  %t = memref.alloc() : memref<4xf32>
  memref.copy %x, %t : memref<4xf32> to memref<4xf32>
  linalg.fill ins(%v : f32) outs(%t : memref<4xf32>)
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  return
}
