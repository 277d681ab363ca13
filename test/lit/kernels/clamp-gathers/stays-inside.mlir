// An index from the data is clamped; that of a loop and a constant are in range.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-clamp-gathers,canonicalize | filecheck %s

// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[LAST:.*]] = arith.constant 99 : index
// CHECK: linalg.generic
// CHECK: %[[J:.*]] = linalg.index 0
// CHECK: %[[LOW:.*]] = arith.maxsi %{{.*}}, %[[ZERO]]
// CHECK: %[[IN:.*]] = arith.minsi %[[LOW]], %[[LAST]]
// CHECK: tensor.extract %arg0[%[[IN]], %[[J]]]
func.func @k(%table: tensor<100x16xf32>, %i: index, %o: tensor<16xf32>) -> tensor<16xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(j) -> (j)>], iterator_types = ["parallel"]}
      outs(%o : tensor<16xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 0 : index
    %e = tensor.extract %table[%i, %j] : tensor<100x16xf32>
    linalg.yield %e : f32
  } -> tensor<16xf32>
  return %y : tensor<16xf32>
}
