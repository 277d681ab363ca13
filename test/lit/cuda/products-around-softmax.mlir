// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Attention that a user writes as two products with a softmax between them is one, too.

func.func @main(%arg0: !torch.vtensor<[2,19,5],f32>, %arg1: !torch.vtensor<[2,18,5],f32>, %arg2: !torch.vtensor<[2,18,33],f32>, %arg3: !torch.vtensor<[2,19,18],i1>) -> !torch.vtensor<[2,19,33],f32> {
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %0 = torch.aten.transpose.int %arg1, %int1, %int2 : !torch.vtensor<[2,18,5],f32>, !torch.int, !torch.int -> !torch.vtensor<[2,5,18],f32>
  %1 = torch.aten.matmul %arg0, %0 : !torch.vtensor<[2,19,5],f32>, !torch.vtensor<[2,5,18],f32> -> !torch.vtensor<[2,19,18],f32>
  %int3 = torch.constant.int 3
  %2 = torch.aten.div.Scalar %1, %int3 : !torch.vtensor<[2,19,18],f32>, !torch.int -> !torch.vtensor<[2,19,18],f32>
  %float-1.000000e09 = torch.constant.float -1.000000e+09
  %3 = torch.aten.masked_fill.Scalar %2, %arg3, %float-1.000000e09 : !torch.vtensor<[2,19,18],f32>, !torch.vtensor<[2,19,18],i1>, !torch.float -> !torch.vtensor<[2,19,18],f32>
  %int-1 = torch.constant.int -1
  %none = torch.constant.none
  %4 = torch.aten.softmax.int %3, %int-1, %none : !torch.vtensor<[2,19,18],f32>, !torch.int, !torch.none -> !torch.vtensor<[2,19,18],f32>
  %5 = torch.aten.matmul %4, %arg2 : !torch.vtensor<[2,19,18],f32>, !torch.vtensor<[2,18,33],f32> -> !torch.vtensor<[2,19,33],f32>
  return %5 : !torch.vtensor<[2,19,33],f32>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      @triton.jit
// CHECK-NEXT: def maximum(a, b):
// CHECK-NEXT:     return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[2, 19, 5], x1: f32[2, 18, 5], x2: f32[2, 18, 33], x3: i1[2, 19, 18] -> y0: f32[2, 19, 33]
// CHECK-NEXT: # blocks: 2, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, x2, x3, y0):
// CHECK-NEXT:     p = tl.program_id(0)
// CHECK-NEXT:     b = p
// CHECK-NEXT:     m = tl.arange(0, 32)
// CHECK-NEXT:     m_in = m < 19
// CHECK-NEXT:     d = tl.arange(0, 16)
// CHECK-NEXT:     d_in = d < 5
// CHECK-NEXT:     e = tl.arange(0, 64)
// CHECK-NEXT:     e_in = e < 33
// CHECK-NEXT:     v1 = tl.load(x0 + b * 95 + m[:, None] * 5 + d[None, :], mask=m_in[:, None] & d_in[None, :], other=0.0)
// CHECK-NEXT:     v2 = v1 * 0.3333333333333333
// CHECK-NEXT:     top = tl.full((32, 1), float("-inf"), tl.float32)
// CHECK-NEXT:     total = tl.zeros((32, 1), tl.float32)
// CHECK-NEXT:     acc = tl.zeros((32, 64), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 18, 32):
// CHECK-NEXT:         k = k_start + tl.arange(0, 32)
// CHECK-NEXT:         k_in = k < 18
// CHECK-NEXT:         v3 = tl.load(x1 + b * 90 + k[None, :] * 5 + d[:, None], mask=d_in[:, None] & k_in[None, :], other=0.0)
// CHECK-NEXT:         score = tl.dot(v2, v3, input_precision="tf32x3")
// CHECK-NEXT:         v4 = tl.load(x3 + b * 342 + m[:, None] * 18 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0)
// CHECK-NEXT:         v5 = tl.where(v4, -1000000000.0, 0.0)
// CHECK-NEXT:         score = tl.where(v5 != 0.0, v5, score)
// CHECK-NEXT:         score = tl.where(k_in[None, :], score, float("-inf"))
// CHECK-NEXT:         new = tl.maximum(top, tl.reduce(score, 1, maximum)[:, None], propagate_nan=tl.PropagateNan.ALL)
// CHECK-NEXT:         base = tl.where(new == float("-inf"), 0.0, new)
// CHECK-NEXT:         weight = libdevice.exp(score - base)
// CHECK-NEXT:         shrink = libdevice.exp(top - base)
// CHECK-NEXT:         total = total * shrink + tl.reduce(weight, 1, add)[:, None]
// CHECK-NEXT:         top = new
// CHECK-NEXT:         v6 = tl.load(x2 + b * 594 + k[:, None] * 33 + e[None, :], mask=k_in[:, None] & e_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(weight, v6, acc * shrink, input_precision="tf32x3")
// CHECK-NEXT:     v7 = tl.div_rn(acc, total + tl.zeros_like(acc))
// CHECK-NEXT:     tl.store(y0 + b * 627 + m[:, None] * 33 + e[None, :], v7, mask=m_in[:, None] & e_in[None, :])
