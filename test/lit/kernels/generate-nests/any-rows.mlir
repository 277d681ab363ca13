// Rows that a run counts: whole tiles in a loop, and code for each smaller number. One
// row behind them shares with the last whole tile.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-generate-nests --target x86-64-v4 | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: %[[N:.*]] = memref.dim %arg2
// CHECK: %[[X:.*]] = memref.reinterpret_cast %arg0
// CHECK: call @nest.0(%[[N]], %[[X]], %arg1, %{{.*}}) : (index, memref<1xf32>, memref<32x64xf32>, memref<1xf32>) -> ()
// CHECK-LABEL: func.func private @nest.0(
// CHECK: %[[LEFT:.*]] = arith.remui
// CHECK: %[[MORE:.*]] = arith.addi %[[LEFT]]
// CHECK: %[[SHARED:.*]] = arith.select %{{.*}}, %[[LEFT]], %[[MORE]]
// CHECK: %[[REST:.*]] = arith.select %{{.*}}, %[[LEFT]], %[[SHARED]]
// CHECK: %[[START:.*]] = arith.subi %{{.*}}, %[[REST]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[START]]
// CHECK: arith.ceildivui %[[REST]]
// CHECK: scf.for %{{.*}} = %[[START]] to
// CHECK: arith.cmpi uge
// CHECK: scf.if
// CHECK: } else {
func.func @k(%x: memref<?x32xf32>, %w: memref<32x64xf32>, %y: memref<?x64xf32>) {
  linalg.generic {dycl.nest = "matmul",
                  indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                   affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%x, %w : memref<?x32xf32>, memref<32x64xf32>) outs(%y : memref<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %t: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %t, %p : f32
    linalg.yield %s : f32
  }
  return
}
