// Whole groups by pointers that move by a group, then the samples that are left.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-call-samples | filecheck %s

// CHECK-LABEL: func.func @k(
// CHECK: %[[N:.*]] = memref.dim
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: %[[FOUR:.*]] = arith.constant 4 : index
// CHECK: %[[GROUPS:.*]] = arith.divui %[[N]], %[[FOUR]]
// CHECK: call @k.sample.0.group.all(%{{.*}}, %{{.*}}, %[[ZERO]], %[[GROUPS]])
// CHECK: %[[LEFT:.*]] = arith.remui %[[M:.*]], %{{.*}}
// CHECK: %[[FIRST:.*]] = arith.subi %[[M]], %[[LEFT]]
// CHECK: call @k.sample.0.all(%{{.*}}, %{{.*}}, %[[FIRST]], %[[M]])
// CHECK-DAG: @k.sample.0.group.all({{.*}} attributes {dycl.steps = array<i64: 128, 128>}
// CHECK-DAG: @k.sample.0.all({{.*}} attributes {dycl.steps = array<i64: 32, 32>}
func.func @k(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, a, b) -> (n, a)>,
                                   affine_map<(n, a, b) -> (n, b)>],
                  iterator_types = ["parallel", "reduction", "parallel"],
                  dycl.sample_of = @k.sample.0.group, dycl.sample_group = 4,
                  dycl.sample_dims = array<i64: 0, 0>}
    ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, a, b) -> (n, a)>,
                                   affine_map<(n, a, b) -> (n, b)>],
                  iterator_types = ["parallel", "reduction", "parallel"],
                  dycl.sample_of = @k.sample.0, dycl.sample_behind = 4,
                  dycl.sample_dims = array<i64: 0, 0>}
    ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.addf %a, %out : f32
    linalg.yield %s : f32
  }
  return
}
