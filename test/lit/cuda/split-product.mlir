// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Two tiles would leave most of the device idle: blocks sum parts of the depth, and a
// second function adds them before the bias.

func.func @main(%arg0: !torch.vtensor<[6,2000],f32>, %arg1: !torch.vtensor<[100,2000],f32>, %arg2: !torch.vtensor<[100],f32>) -> !torch.vtensor<[6,100],f32> {
  %0 = torch.aten.linear %arg0, %arg1, %arg2 : !torch.vtensor<[6,2000],f32>, !torch.vtensor<[100,2000],f32>, !torch.vtensor<[100],f32> -> !torch.vtensor<[6,100],f32>
  return %0 : !torch.vtensor<[6,100],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[6, 2000], x1: f32[100, 2000] -> t0: f32[13, 6, 100]
// CHECK-NEXT: # blocks: 26, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, t0):
// CHECK-NEXT:     s = tl.program_id(0) // 2
// CHECK-NEXT:     p = tl.program_id(0) % 2
// CHECK-NEXT:     m = tl.arange(0, 16)
// CHECK-NEXT:     m_in = m < 6
// CHECK-NEXT:     n = p % 2 * 64 + tl.arange(0, 64)
// CHECK-NEXT:     n_in = n < 100
// CHECK-NEXT:     acc = tl.zeros((16, 64), tl.float32)
// CHECK-NEXT:     for k_start in range(s * 160, tl.minimum(s * 160 + 160, 2000), 32):
// CHECK-NEXT:         k = k_start + tl.arange(0, 32)
// CHECK-NEXT:         k_in = k < 2000
// CHECK-NEXT:         v1 = tl.load(x0 + m[:, None] * 2000 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0.0)
// CHECK-NEXT:         v2 = tl.load(x1 + n[None, :] * 2000 + k[:, None], mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v1, v2, acc, input_precision="tf32x3")
// CHECK-NEXT:     tl.store(t0 + s * 600 + m[:, None] * 100 + n[None, :], acc, mask=m_in[:, None] & n_in[None, :])
// CHECK:      # no line of the user
// CHECK-NEXT: # x2: f32[100], t0: f32[13, 6, 100] -> y0: f32[6, 100]
// CHECK-NEXT: # blocks: 3, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_1(x2, t0, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 256 + tl.arange(0, 256)
// CHECK-NEXT:     i_in = i < 600
// CHECK-NEXT:     i1 = i % 100
// CHECK-NEXT:     v1 = tl.load(x2 + i1, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = tl.load(t0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     for s in tl.static_range(1, 13):
// CHECK-NEXT:         v3 = tl.load(t0 + i + s * 600, mask=i_in, other=0.0)
// CHECK-NEXT:         v2 += v3
// CHECK-NEXT:     v4 = v2 + v1
// CHECK-NEXT:     tl.store(y0 + i, v4, mask=i_in)
