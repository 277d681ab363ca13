// The buffer of a sort belongs to its tensor.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-restrict-to-tensor | filecheck %s

// CHECK: bufferization.to_tensor %arg0 restrict
func.func @k(%m: memref<4xf32>) -> tensor<4xf32> {
  %t = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  return %t : tensor<4xf32>
}
