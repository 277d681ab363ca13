// Nothing is read from a tensor without elements: there is no nearest one.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-clamp-gathers | filecheck %s

// CHECK-NOT: arith.minsi
// CHECK: tensor.extract %arg0[%arg1]
func.func @k(%x: tensor<0xf32>, %i: index) -> f32 {
  %e = tensor.extract %x[%i] : tensor<0xf32>
  return %e : f32
}
