// REQUIRES: torch-mlir
// RUN: not %python -m dycl.kernels.cuda.opt %s 2>&1 | filecheck %s

// A table of bf16 has no template.

// CHECK: error: net.py:7:9: the op needs a table of 2 constants: no template for CUDA
func.func @main(%i: tensor<i64>) -> tensor<2xbf16> {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xbf16> loc("net.py":7:9)
  return %c : tensor<2xbf16>
}
