// Rows that stay rows, few elements, doubles and sizes of a run are left to loops.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-transpose-squares | filecheck %s

// CHECK-COUNT-4: linalg.transpose
// CHECK-NOT: call
func.func @k(%a: memref<8x9x16xf32>, %b: memref<9x8x16xf32>, %c: memref<4x32xf32>,
    %d: memref<32x4xf32>, %e: memref<32x32xf64>, %f: memref<32x32xf64>,
    %g: memref<?x32xf32>, %h: memref<32x?xf32>) {
  linalg.transpose ins(%a : memref<8x9x16xf32>) outs(%b : memref<9x8x16xf32>)
      permutation = [1, 0, 2]
  linalg.transpose ins(%c : memref<4x32xf32>) outs(%d : memref<32x4xf32>)
      permutation = [1, 0]
  linalg.transpose ins(%e : memref<32x32xf64>) outs(%f : memref<32x32xf64>)
      permutation = [1, 0]
  linalg.transpose ins(%g : memref<?x32xf32>) outs(%h : memref<32x?xf32>)
      permutation = [1, 0]
  return
}
