// The buffer gets other numbers behind the copy: what is padded has to stay.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-inside | filecheck %s

// CHECK: memref.copy
func.func @k(%x: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %dim = arith.constant 0 : index
  %two = arith.constant 2 : index
  %n = memref.dim %x, %dim : memref<?x4xf32>
  %a = memref.alloc(%n) : memref<?x4xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<?x4xf32>)
  %whole = arith.addi %n, %two : index
  %b = memref.alloc(%whole) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<?x4xf32>)
  %v = memref.subview %b[1, 0] [%n, 4] [1, 1]
      : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: 4>>
  memref.copy %a, %v
      : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: 4>>
  linalg.fill ins(%zero : f32) outs(%a : memref<?x4xf32>)
  return
}
