// A row that an index names: two vectors of 16 and a mask for the last four.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-read-rows,canonicalize | filecheck %s

// CHECK-NOT: linalg.generic
// CHECK: scf.for %[[R:.*]] = %c0 to %c100
// CHECK:   scf.for %[[J:.*]] = %c0 to %c32 step %c16
// CHECK:     %[[I:.*]] = arith.index_cast
// CHECK:     vector.load %arg0[%[[I]], %[[J]]] : memref<50x36xf32>, vector<16xf32>
// CHECK:     arith.mulf {{.*}} : vector<16xf32>
// CHECK:     vector.store
// CHECK:   vector.maskedload %arg0[%{{.*}}, %c32]
// CHECK:   vector.maskedstore
func.func @k(%t: memref<50x36xf32>, %i: memref<100xi64>, %w: memref<100xf32>,
    %y: memref<100x36xf32>) {
  linalg.generic {indexing_maps = [affine_map<(r, j) -> (r)>, affine_map<(r, j) -> (r)>,
      affine_map<(r, j) -> (r, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%i, %w : memref<100xi64>, memref<100xf32>) outs(%y : memref<100x36xf32>) {
  ^bb0(%n: i64, %a: f32, %out: f32):
    %j = linalg.index 1 : index
    %row = arith.index_cast %n : i64 to index
    %x = memref.load %t[%row, %j] : memref<50x36xf32>
    %s = arith.mulf %x, %a : f32
    linalg.yield %s : f32
  }
  return
}
