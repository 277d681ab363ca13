// The inside is written next: only the border is filled.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fill-borders | filecheck %s

// CHECK: %[[TOP:.*]] = memref.subview %[[B:.*]][0, 0, 0] [1, 6, 4] [1, 1, 1]
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[TOP]]
// CHECK: memref.subview %[[B]][5, 0, 0] [1, 6, 4]
// CHECK: memref.subview %[[B]][1, 0, 0] [4, 1, 4]
// CHECK: memref.subview %[[B]][1, 5, 0] [4, 1, 4]
// CHECK-NOT: linalg.fill {{.*}} : memref<6x6x4xf32>)
// CHECK: memref.copy
func.func @k(%x: memref<4x4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<6x6x4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<6x6x4xf32>)
  %v = memref.subview %b[1, 1, 0] [4, 4, 4] [1, 1, 1]
      : memref<6x6x4xf32> to memref<4x4x4xf32, strided<[24, 4, 1], offset: 28>>
  memref.copy %x, %v
      : memref<4x4x4xf32> to memref<4x4x4xf32, strided<[24, 4, 1], offset: 28>>
  return
}
