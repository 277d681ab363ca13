// REQUIRES: torch-mlir
// RUN: not %python -m dycl.kernels.cuda.opt %s 2>&1 | filecheck %s

// What has no template is named, at the user's line.

// CHECK: error: net.py:7:9: the op has no template for CUDA: tensor.gather
func.func @main(%x: tensor<4xf32>, %i: tensor<3x1xi64>) -> tensor<3xf32> {
  %y = tensor.gather %x[%i] gather_dims([0]) : (tensor<4xf32>, tensor<3x1xi64>) -> tensor<3xf32> loc("net.py":7:9)
  return %y : tensor<3xf32>
}
