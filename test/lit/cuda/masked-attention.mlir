// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A mask adds -inf to scores; a row of which nothing is left is 0.

func.func @main(%arg0: !torch.vtensor<[2,3,9,20],f32>, %arg1: !torch.vtensor<[2,3,37,20],f32>, %arg2: !torch.vtensor<[2,3,37,20],f32>, %arg3: !torch.vtensor<[9,37],i1>) -> !torch.vtensor<[2,3,9,20],f32> {
  %float0.000000e00 = torch.constant.float 0.000000e+00
  %false = torch.constant.bool false
  %float3.000000e-01 = torch.constant.float 3.000000e-01
  %0 = torch.aten.scaled_dot_product_attention %arg0, %arg1, %arg2, %arg3, %float0.000000e00, %false, %float3.000000e-01, %false : !torch.vtensor<[2,3,9,20],f32>, !torch.vtensor<[2,3,37,20],f32>, !torch.vtensor<[2,3,37,20],f32>, !torch.vtensor<[9,37],i1>, !torch.float, !torch.bool, !torch.float, !torch.bool -> !torch.vtensor<[2,3,9,20],f32>
  return %0 : !torch.vtensor<[2,3,9,20],f32>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      @triton.jit
// CHECK-NEXT: def maximum(a, b):
// CHECK-NEXT:     return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[2, 3, 9, 20], x1: f32[2, 3, 37, 20], x2: f32[2, 3, 37, 20], x3: i1[9, 37] -> y0: f32[2, 3, 9, 20]
// CHECK-NEXT: # blocks: 6, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, x2, x3, y0):
// CHECK-NEXT:     p = tl.program_id(0)
// CHECK-NEXT:     b = p
// CHECK-NEXT:     m = tl.arange(0, 16)
// CHECK-NEXT:     m_in = m < 9
// CHECK-NEXT:     d = tl.arange(0, 32)
// CHECK-NEXT:     d_in = d < 20
// CHECK-NEXT:     e = tl.arange(0, 32)
// CHECK-NEXT:     e_in = e < 20
// CHECK-NEXT:     v1 = tl.load(x0 + b * 180 + m[:, None] * 20 + d[None, :], mask=m_in[:, None] & d_in[None, :], other=0.0)
// CHECK-NEXT:     v2 = v1 * 0.3
// CHECK-NEXT:     top = tl.full((16, 1), float("-inf"), tl.float32)
// CHECK-NEXT:     total = tl.zeros((16, 1), tl.float32)
// CHECK-NEXT:     acc = tl.zeros((16, 32), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 37, 32):
// CHECK-NEXT:         k = k_start + tl.arange(0, 32)
// CHECK-NEXT:         k_in = k < 37
// CHECK-NEXT:         v3 = tl.load(x1 + b * 740 + k[None, :] * 20 + d[:, None], mask=d_in[:, None] & k_in[None, :], other=0.0)
// CHECK-NEXT:         score = tl.dot(v2, v3, input_precision="tf32x3")
// CHECK-NEXT:         v4 = tl.load(x3 + m[:, None] * 37 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0)
// CHECK-NEXT:         v5 = tl.where(v4, 0.0, float("-inf"))
// CHECK-NEXT:         score = score + v5
// CHECK-NEXT:         score = tl.where(k_in[None, :], score, float("-inf"))
// CHECK-NEXT:         new = tl.maximum(top, tl.reduce(score, 1, maximum)[:, None], propagate_nan=tl.PropagateNan.ALL)
// CHECK-NEXT:         base = tl.where(new == float("-inf"), 0.0, new)
// CHECK-NEXT:         weight = libdevice.exp(score - base)
// CHECK-NEXT:         shrink = libdevice.exp(top - base)
// CHECK-NEXT:         total = total * shrink + tl.reduce(weight, 1, add)[:, None]
// CHECK-NEXT:         top = new
// CHECK-NEXT:         v6 = tl.load(x2 + b * 740 + k[:, None] * 20 + e[None, :], mask=k_in[:, None] & e_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(weight, v6, acc * shrink, input_precision="tf32x3")
// CHECK-NEXT:     total = tl.where(total == 0.0, 1.0, total)
// CHECK-NEXT:     v7 = tl.div_rn(acc, total + tl.zeros_like(acc))
// CHECK-NEXT:     tl.store(y0 + b * 180 + m[:, None] * 20 + e[None, :], v7, mask=m_in[:, None] & e_in[None, :])
