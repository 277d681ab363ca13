// The conversion drops attributes of arguments: their numbers go to the function.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-note-weights | filecheck %s

// CHECK: func.func @k
// CHECK-SAME: attributes {dycl.weights = array<i64: 1>}
func.func @k(%x: tensor<4xf32>, %w: tensor<4xf32> {dycl.weight}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
