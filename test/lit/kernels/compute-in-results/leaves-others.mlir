// What changes after the copy, a result that is touched before, and arguments stay.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-compute-in-results | filecheck %s

// CHECK: func.func @changes
// CHECK: memref.alloc
// CHECK: memref.copy %alloc, %arg1
func.func @changes(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>, %v: f32) {
  %t = memref.alloc() : memref<4xf32>
  memref.copy %x, %t : memref<4xf32> to memref<4xf32>
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  linalg.fill ins(%v : f32) outs(%t : memref<4xf32>)
  return
}
// CHECK: func.func @touched
// CHECK: memref.copy %alloc, %arg1
func.func @touched(%x: memref<4xf32>, %y: memref<4xf32>, %v: f32) {
  %t = memref.alloc() : memref<4xf32>
  memref.copy %x, %t : memref<4xf32> to memref<4xf32>
  linalg.fill ins(%v : f32) outs(%y : memref<4xf32>)
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  return
}
// CHECK: func.func @argument
// CHECK: memref.copy %arg0, %arg1
func.func @argument(%x: memref<4xf32>, %y: memref<4xf32>) {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}
