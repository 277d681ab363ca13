// Nothing was hidden, so every argument is the caller's.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-show-literals | filecheck %s

// CHECK: func.func @k(%arg0: tensor<2xf32>) -> tensor<2xf32> {
func.func @k(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
