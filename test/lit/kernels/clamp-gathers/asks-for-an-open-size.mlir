// The last index of a dimension of dynamic size is known at run time.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-clamp-gathers | filecheck %s

// CHECK: %[[SIZE:.*]] = tensor.dim %arg0
// CHECK: %[[LAST:.*]] = arith.subi %[[SIZE]]
// CHECK: arith.minsi %{{.*}}, %[[LAST]]
func.func @k(%x: tensor<?xf32>, %i: index) -> f32 {
  %e = tensor.extract %x[%i] : tensor<?xf32>
  return %e : f32
}
