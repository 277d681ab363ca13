// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt %s | filecheck %s

// A table of constants is memory that comes with the code.

func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c = arith.constant dense<[1.0, 2.0, 5.0]> : tensor<3xf32>
  %e = tensor.empty() : tensor<3xf32>
  %y = linalg.mul ins(%x, %c : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[3], g0: table of f32[3] -> y0: f32[3]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, g0, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 3
// CHECK-NEXT:     v1 = tl.load(g0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = tl.load(x0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v3 = v2 * v1
// CHECK-NEXT:     tl.store(y0 + i, v3, mask=i_in)
