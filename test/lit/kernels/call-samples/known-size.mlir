// Of a batch of a known size memory is passed as it is.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-call-samples,canonicalize | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[TWELVE:.*]] = arith.constant 12 : index
// CHECK-NOT: memref.reinterpret_cast
// CHECK: call @k.sample.0.all(%arg0, %arg1, %[[ZERO]], %[[TWELVE]])
// CHECK: @k.sample.0.all(memref<12x8xf32>, memref<12x8xf32>, index, index)
// CHECK-SAME: dycl.steps = array<i64: 32, 32>
func.func @k(%x: memref<12x8xf32>, %y: memref<12x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, a, b) -> (n, a)>,
                                   affine_map<(n, a, b) -> (n, b)>],
                  iterator_types = ["parallel", "reduction", "parallel"],
                  dycl.sample_of = @k.sample.0,
                  dycl.sample_dims = array<i64: 0, 0>}
    ins(%x : memref<12x8xf32>) outs(%y : memref<12x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}
