// The sum over the first dimension: neighbours in memory are other rows, so that each
// lane sums up a row of its own, and nothing is combined across lanes.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-row-programs,canonicalize,cse | filecheck %s

// CHECK-LABEL: func.func @sum
// CHECK-NOT: linalg
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (vector<16xf32>)
// CHECK: vector.load
// CHECK-NEXT: arith.addf %{{.*}} : vector<16xf32>
// CHECK-NOT: vector.reduction
// CHECK: vector.store
// CHECK: vector.constant_mask [4]
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
func.func @sum(%x: memref<30x20xf32>, %y: memref<20xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<20xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                   affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<30x20xf32>) outs(%y : memref<20xf32>) {
  ^bb0(%a: f32, %s: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  }
  return
}
