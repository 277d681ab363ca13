// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Attention is one function, which looks at keys block by block and stores no scores;
// where it is causal, not at keys behind its queries. Heads of keys are read as often
// as there are queries for them.

func.func @main(%arg0: !torch.vtensor<[1,4,70,8],f32>, %arg1: !torch.vtensor<[1,2,70,8],f32>, %arg2: !torch.vtensor<[1,2,70,8],f32>) -> !torch.vtensor<[1,4,70,8],f32> {
  %none = torch.constant.none
  %p = torch.constant.float 0.0
  %true = torch.constant.bool true
  %0 = torch.aten.scaled_dot_product_attention %arg0, %arg1, %arg2, %none, %p, %true, %none, %true : !torch.vtensor<[1,4,70,8],f32>, !torch.vtensor<[1,2,70,8],f32>, !torch.vtensor<[1,2,70,8],f32>, !torch.none, !torch.float, !torch.bool, !torch.none, !torch.bool -> !torch.vtensor<[1,4,70,8],f32>
  return %0 : !torch.vtensor<[1,4,70,8],f32>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      @triton.jit
// CHECK-NEXT: def maximum(a, b):
// CHECK-NEXT:     return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[1, 4, 70, 8], x1: f32[1, 2, 70, 8], x2: f32[1, 2, 70, 8] -> y0: f32[1, 4, 70, 8]
// CHECK-NEXT: # blocks: 8, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, x2, y0):
// CHECK-NEXT:     p = tl.program_id(0)
// CHECK-NEXT:     b = p // 2
// CHECK-NEXT:     m = p % 2 * 64 + tl.arange(0, 64)
// CHECK-NEXT:     m_in = m < 70
// CHECK-NEXT:     d = tl.arange(0, 16)
// CHECK-NEXT:     d_in = d < 8
// CHECK-NEXT:     e = tl.arange(0, 16)
// CHECK-NEXT:     e_in = e < 8
// CHECK-NEXT:     v1 = tl.load(x0 + b * 560 + m[:, None] * 8 + d[None, :], mask=m_in[:, None] & d_in[None, :], other=0.0)
// CHECK-NEXT:     v2 = v1 * 0.35355339059327373
// CHECK-NEXT:     top = tl.full((64, 1), float("-inf"), tl.float32)
// CHECK-NEXT:     total = tl.zeros((64, 1), tl.float32)
// CHECK-NEXT:     acc = tl.zeros((64, 16), tl.float32)
// CHECK-NEXT:     for k_start in range(0, tl.minimum(p % 2 * 64 + 64, 70), 32):
// CHECK-NEXT:         k = k_start + tl.arange(0, 32)
// CHECK-NEXT:         k_in = k < 70
// CHECK-NEXT:         v3 = tl.load(x1 + (b // 2) * 560 + k[None, :] * 8 + d[:, None], mask=d_in[:, None] & k_in[None, :], other=0.0)
// CHECK-NEXT:         score = tl.dot(v2, v3, input_precision="tf32x3")
// CHECK-NEXT:         score = tl.where(k_in[None, :] & (k[None, :] <= m[:, None]), score, float("-inf"))
// CHECK-NEXT:         new = tl.maximum(top, tl.reduce(score, 1, maximum)[:, None], propagate_nan=tl.PropagateNan.ALL)
// CHECK-NEXT:         base = tl.where(new == float("-inf"), 0.0, new)
// CHECK-NEXT:         weight = libdevice.exp(score - base)
// CHECK-NEXT:         shrink = libdevice.exp(top - base)
// CHECK-NEXT:         total = total * shrink + tl.reduce(weight, 1, add)[:, None]
// CHECK-NEXT:         top = new
// CHECK-NEXT:         v4 = tl.load(x2 + (b // 2) * 560 + k[:, None] * 8 + e[None, :], mask=k_in[:, None] & e_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(weight, v4, acc * shrink, input_precision="tf32x3")
// CHECK-NEXT:     total = tl.where(total == 0.0, 1.0, total)
// CHECK-NEXT:     v5 = tl.div_rn(acc, total + tl.zeros_like(acc))
// CHECK-NEXT:     tl.store(y0 + b * 560 + m[:, None] * 8 + e[None, :], v5, mask=m_in[:, None] & e_in[None, :])
