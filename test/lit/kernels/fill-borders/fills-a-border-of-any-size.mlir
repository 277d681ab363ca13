// A run decides how large the inside is: sides of a known width around it.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fill-borders,canonicalize | filecheck %s

// CHECK: %[[B:.*]] = memref.alloc(%[[WHOLE:.*]]) : memref<?x4xf32>
// CHECK-NOT: linalg.fill {{.*}} : memref<?x4xf32>)
// CHECK: %[[TOP:.*]] = memref.subview %[[B]][0, 0] [1, 4] [1, 1]
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[TOP]]
// CHECK: %[[LOW:.*]] = memref.subview %[[B]][%{{.*}}, 0] [%{{.*}}, 4] [1, 1]
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[LOW]]
// CHECK: memref.copy
func.func @k(%x: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %dim = arith.constant 0 : index
  %two = arith.constant 2 : index
  %n = memref.dim %x, %dim : memref<?x4xf32>
  %whole = arith.addi %n, %two : index
  %b = memref.alloc(%whole) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<?x4xf32>)
  %v = memref.subview %b[1, 0] [%n, 4] [1, 1]
      : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: 4>>
  memref.copy %x, %v
      : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: 4>>
  return
}
