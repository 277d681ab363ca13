// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A transposed convolution is one over an image with zeros between its elements, which
// are a condition of the load; its filters are turned around.

func.func @main(%arg0: !torch.vtensor<[1,3,4,5],f32>, %arg1: !torch.vtensor<[3,6,3,3],f32>, %arg2: !torch.vtensor<[6],f32>) -> !torch.vtensor<[1,6,8,10],f32> {
  %int2 = torch.constant.int 2
  %0 = torch.prim.ListConstruct %int2, %int2 : (!torch.int, !torch.int) -> !torch.list<int>
  %int1 = torch.constant.int 1
  %1 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %2 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %3 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %4 = torch.aten.conv_transpose2d.input %arg0, %arg1, %arg2, %0, %1, %2, %int1, %3 : !torch.vtensor<[1,3,4,5],f32>, !torch.vtensor<[3,6,3,3],f32>, !torch.vtensor<[6],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int, !torch.list<int> -> !torch.vtensor<[1,6,8,10],f32>
  return %4 : !torch.vtensor<[1,6,8,10],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x1: f32[3, 6, 3, 3] -> t0: f32[6, 3, 3, 3]
// CHECK-NEXT: # blocks: 1, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x1, t0):
// CHECK-NEXT:     i = tl.program_id(0) * 256 + tl.arange(0, 256)
// CHECK-NEXT:     i_in = i < 162
// CHECK-NEXT:     i3 = i % 3
// CHECK-NEXT:     i2 = i // 3 % 3
// CHECK-NEXT:     i1 = i // 9 % 3
// CHECK-NEXT:     i0 = i // 27
// CHECK-NEXT:     v1 = 2 - (i2)
// CHECK-NEXT:     v2 = tl.maximum(v1, 0)
// CHECK-NEXT:     v3 = tl.minimum(v2, 2)
// CHECK-NEXT:     v4 = 2 - (i3)
// CHECK-NEXT:     v5 = tl.maximum(v4, 0)
// CHECK-NEXT:     v6 = tl.minimum(v5, 2)
// CHECK-NEXT:     v7 = tl.load(x1 + (i1) * 54 + (i0) * 9 + v3 * 3 + v6, mask=i_in, other=0.0)
// CHECK-NEXT:     tl.store(t0 + i, v7, mask=i_in)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[1, 3, 4, 5], x2: f32[6], t0: f32[6, 3, 3, 3] -> y0: f32[1, 6, 8, 10]
// CHECK-NEXT: # blocks: 2, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_1(x0, x2, t0, y0):
// CHECK-NEXT:     p = tl.program_id(0)
// CHECK-NEXT:     m = p % 2 * 64 + tl.arange(0, 64)
// CHECK-NEXT:     m_in = m < 80
// CHECK-NEXT:     m1 = m % 10
// CHECK-NEXT:     m0 = m // 10
// CHECK-NEXT:     n = tl.arange(0, 16)
// CHECK-NEXT:     n_in = n < 6
// CHECK-NEXT:     acc = tl.zeros((64, 16), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 27, 16):
// CHECK-NEXT:         k = k_start + tl.arange(0, 16)
// CHECK-NEXT:         k_in = k < 27
// CHECK-NEXT:         k2 = k % 3
// CHECK-NEXT:         k1 = k // 3 % 3
// CHECK-NEXT:         k0 = k // 9
// CHECK-NEXT:         v1 = ((m0[:, None] + k1[None, :] - 1) % 2 < 1) & (m0[:, None] + k1[None, :] - 1 >= 0) & (m0[:, None] + k1[None, :] - 1 < 8) & ((m1[:, None] + k2[None, :] - 1) % 2 < 1) & (m1[:, None] + k2[None, :] - 1 >= 0) & (m1[:, None] + k2[None, :] - 1 < 10)
// CHECK-NEXT:         v2 = tl.load(x0 + k0[None, :] * 20 + ((m0[:, None] + k1[None, :] - 1) // 2) * 5 + (m1[:, None] + k2[None, :] - 1) // 2, mask=m_in[:, None] & k_in[None, :] & v1, other=0.0)
// CHECK-NEXT:         v3 = tl.load(t0 + k[:, None] + n[None, :] * 27, mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v2, v3, acc, input_precision="tf32x3")
// CHECK-NEXT:     v4 = tl.load(x2 + n[None, :], mask=n_in[None, :], other=0.0)
// CHECK-NEXT:     v5 = acc + v4.to(tl.float32)
// CHECK-NEXT:     tl.store(y0 + m[:, None] + n[None, :] * 80, v5, mask=m_in[:, None] & n_in[None, :])
