// The buffer is read before its inside is written.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fill-borders | filecheck %s

// CHECK: linalg.fill {{.*}} : memref<6xf32>)
// CHECK-NOT: linalg.fill
func.func @k(%x: memref<4xf32>, %y: memref<6xf32>) {
  %zero = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<6xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<6xf32>)
  %v = memref.subview %b[1] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1], offset: 1>>
  memref.copy %b, %y : memref<6xf32> to memref<6xf32>
  memref.copy %x, %v : memref<4xf32> to memref<4xf32, strided<[1], offset: 1>>
  return
}
