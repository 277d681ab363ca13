// The op writes where the copy would; the border comes before it.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-inside | filecheck %s

// CHECK: %[[B:.*]] = memref.alloc({{.*}}) : memref<?x4xf32>
// CHECK: linalg.fill {{.*}} outs(%[[B]]
// CHECK: %[[V:.*]] = memref.subview %[[B]]
// CHECK: linalg.generic {{.*}} outs(%[[V]]
// CHECK-NOT: memref.copy
func.func @k(%x: memref<?x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %dim = arith.constant 0 : index
  %two = arith.constant 2 : index
  %n = memref.dim %x, %dim : memref<?x4xf32>
  %a = memref.alloc(%n) : memref<?x4xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                   affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<?x4xf32>) outs(%a : memref<?x4xf32>) {
  ^bb0(%one: f32, %old: f32):
    %twice = arith.addf %one, %one : f32
    linalg.yield %twice : f32
  }
  %whole = arith.addi %n, %two : index
  %b = memref.alloc(%whole) : memref<?x4xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<?x4xf32>)
  %v = memref.subview %b[1, 0] [%n, 4] [1, 1]
      : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: 4>>
  memref.copy %a, %v
      : memref<?x4xf32> to memref<?x4xf32, strided<[4, 1], offset: 4>>
  return
}
