// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt %s | filecheck %s

// Each element of the result goes through all updates in order, so that of two for the
// same place the last one stays, and sums are always added up alike.

func.func @main(%x: tensor<5x3xf32>, %i: tensor<4x1xi64>, %u: tensor<4x1x3xf32>) -> tensor<5x3xf32> {
  %0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<4x1x3xf32>, tensor<4x1xi64>) outs(%x : tensor<5x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %b, %a : f32
    tm_tensor.yield %1 : f32
  } -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[5, 3], x1: i64[4, 1], x2: f32[4, 1, 3] -> y0: f32[5, 3]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, x2, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 15
// CHECK-NEXT:     i1 = i % 3
// CHECK-NEXT:     i0 = i // 3
// CHECK-NEXT:     v1 = tl.load(x0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = tl.broadcast_to(v1, (32,))
// CHECK-NEXT:     for u in range(4):
// CHECK-NEXT:         v3 = tl.load(x1 + u)
// CHECK-NEXT:         v4 = ((i0) == v3)
// CHECK-NEXT:         v5 = tl.load(x2 + u * 3 + i1, mask=i_in & v4, other=0.0)
// CHECK-NEXT:         v6 = v2 + v5
// CHECK-NEXT:         v2 = tl.where(v4, v6, v2)
// CHECK-NEXT:     tl.store(y0 + i, v2, mask=i_in)
