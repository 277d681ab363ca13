// Elements of different rows, columns, and short rows are left to LLVM's loops.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-read-rows | filecheck %s

// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: scf.for
#all = affine_map<(r, j) -> (r, j)>
#row = affine_map<(r, j) -> (r)>
func.func @k(%t: memref<50x36xf32>, %i: memref<100x36xi64>, %n: memref<100xi64>,
    %y: memref<100x36xf32>, %z: memref<100x4xf32>) {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<100x36xi64>) outs(%y : memref<100x36xf32>) {
  ^bb0(%a: i64, %out: f32):
    %j = linalg.index 1 : index
    %at = arith.index_cast %a : i64 to index
    %x = memref.load %t[%at, %j] : memref<50x36xf32>
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%n : memref<100xi64>) outs(%y : memref<100x36xf32>) {
  ^bb0(%a: i64, %out: f32):
    %j = linalg.index 1 : index
    %at = arith.index_cast %a : i64 to index
    %x = memref.load %t[%j, %at] : memref<50x36xf32>
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%n : memref<100xi64>) outs(%z : memref<100x4xf32>) {
  ^bb0(%a: i64, %out: f32):
    %j = linalg.index 1 : index
    %at = arith.index_cast %a : i64 to index
    %x = memref.load %t[%at, %j] : memref<50x36xf32>
    linalg.yield %x : f32
  }
  return
}
