// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Two products, of which the second adds the first and all biases in its epilogue; the
// gates are places in its result.

func.func @main(%h: !torch.vtensor<[3,7],f32>, %wh: !torch.vtensor<[28,7],f32>, %bh: !torch.vtensor<[28],f32>, %x: !torch.vtensor<[3,5],f32>, %wx: !torch.vtensor<[28,5],f32>, %bx: !torch.vtensor<[28],f32>, %c: !torch.vtensor<[3,7],f32>) -> (!torch.vtensor<[3,7],f32>, !torch.vtensor<[3,7],f32>) {
  %0 = torch.aten.linear %h, %wh, %bh : !torch.vtensor<[3,7],f32>, !torch.vtensor<[28,7],f32>, !torch.vtensor<[28],f32> -> !torch.vtensor<[3,28],f32>
  %1 = torch.aten.linear %x, %wx, %bx : !torch.vtensor<[3,5],f32>, !torch.vtensor<[28,5],f32>, !torch.vtensor<[28],f32> -> !torch.vtensor<[3,28],f32>
  %int1 = torch.constant.int 1
  %2 = torch.aten.add.Tensor %0, %1, %int1 : !torch.vtensor<[3,28],f32>, !torch.vtensor<[3,28],f32>, !torch.int -> !torch.vtensor<[3,28],f32>
  %int4 = torch.constant.int 4
  %3 = torch.aten.chunk %2, %int4, %int1 : !torch.vtensor<[3,28],f32>, !torch.int, !torch.int -> !torch.list<vtensor<[3,7],f32>>
  %4:4 = torch.prim.ListUnpack %3 : !torch.list<vtensor<[3,7],f32>> -> !torch.vtensor<[3,7],f32>, !torch.vtensor<[3,7],f32>, !torch.vtensor<[3,7],f32>, !torch.vtensor<[3,7],f32>
  %5 = torch.aten.sigmoid %4#0 : !torch.vtensor<[3,7],f32> -> !torch.vtensor<[3,7],f32>
  %6 = torch.aten.sigmoid %4#1 : !torch.vtensor<[3,7],f32> -> !torch.vtensor<[3,7],f32>
  %7 = torch.aten.tanh %4#2 : !torch.vtensor<[3,7],f32> -> !torch.vtensor<[3,7],f32>
  %8 = torch.aten.sigmoid %4#3 : !torch.vtensor<[3,7],f32> -> !torch.vtensor<[3,7],f32>
  %9 = torch.aten.mul.Tensor %6, %c : !torch.vtensor<[3,7],f32>, !torch.vtensor<[3,7],f32> -> !torch.vtensor<[3,7],f32>
  %10 = torch.aten.mul.Tensor %5, %7 : !torch.vtensor<[3,7],f32>, !torch.vtensor<[3,7],f32> -> !torch.vtensor<[3,7],f32>
  %11 = torch.aten.add.Tensor %9, %10, %int1 : !torch.vtensor<[3,7],f32>, !torch.vtensor<[3,7],f32>, !torch.int -> !torch.vtensor<[3,7],f32>
  %12 = torch.aten.tanh %11 : !torch.vtensor<[3,7],f32> -> !torch.vtensor<[3,7],f32>
  %13 = torch.aten.mul.Tensor %8, %12 : !torch.vtensor<[3,7],f32>, !torch.vtensor<[3,7],f32> -> !torch.vtensor<[3,7],f32>
  return %11, %13 : !torch.vtensor<[3,7],f32>, !torch.vtensor<[3,7],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x3: f32[3, 5], x4: f32[28, 5] -> t0: f32[3, 28]
// CHECK-NEXT: # blocks: 1, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x3, x4, t0):
// CHECK-NEXT:     m = tl.arange(0, 16)
// CHECK-NEXT:     m_in = m < 3
// CHECK-NEXT:     n = tl.arange(0, 32)
// CHECK-NEXT:     n_in = n < 28
// CHECK-NEXT:     acc = tl.zeros((16, 32), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 5, 16):
// CHECK-NEXT:         k = k_start + tl.arange(0, 16)
// CHECK-NEXT:         k_in = k < 5
// CHECK-NEXT:         v1 = tl.load(x3 + m[:, None] * 5 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0.0)
// CHECK-NEXT:         v2 = tl.load(x4 + n[None, :] * 5 + k[:, None], mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v1, v2, acc, input_precision="tf32x3")
// CHECK-NEXT:     tl.store(t0 + m[:, None] * 28 + n[None, :], acc, mask=m_in[:, None] & n_in[None, :])
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[3, 7], x1: f32[28, 7], x2: f32[28], x5: f32[28], t0: f32[3, 28] -> t1: f32[3, 28]
// CHECK-NEXT: # blocks: 1, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_1(x0, x1, x2, x5, t0, t1):
// CHECK-NEXT:     m = tl.arange(0, 16)
// CHECK-NEXT:     m_in = m < 3
// CHECK-NEXT:     n = tl.arange(0, 32)
// CHECK-NEXT:     n_in = n < 28
// CHECK-NEXT:     acc = tl.zeros((16, 32), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 7, 16):
// CHECK-NEXT:         k = k_start + tl.arange(0, 16)
// CHECK-NEXT:         k_in = k < 7
// CHECK-NEXT:         v1 = tl.load(x0 + m[:, None] * 7 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0.0)
// CHECK-NEXT:         v2 = tl.load(x1 + n[None, :] * 7 + k[:, None], mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v1, v2, acc, input_precision="tf32x3")
// CHECK-NEXT:     v3 = tl.load(x5 + n[None, :], mask=n_in[None, :], other=0.0)
// CHECK-NEXT:     v4 = tl.load(t0 + m[:, None] * 28 + n[None, :], mask=m_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:     v5 = v4 + v3
// CHECK-NEXT:     v6 = tl.load(x2 + n[None, :], mask=n_in[None, :], other=0.0)
// CHECK-NEXT:     v7 = acc + v6
// CHECK-NEXT:     v8 = v7 + v5
// CHECK-NEXT:     tl.store(t1 + m[:, None] * 28 + n[None, :], v8, mask=m_in[:, None] & n_in[None, :])
// CHECK:      # no line of the user
// CHECK-NEXT: # x6: f32[3, 7], t1: f32[3, 28] -> y0: f32[3, 7]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_2(x6, t1, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 21
// CHECK-NEXT:     i1 = i % 7
// CHECK-NEXT:     i0 = i // 7
// CHECK-NEXT:     v1 = tl.load(t1 + i0 * 28 + i1 + 14, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = libdevice.tanh(v1)
// CHECK-NEXT:     v3 = tl.load(t1 + i0 * 28 + i1, mask=i_in, other=0.0)
// CHECK-NEXT:     v4 = -v3
// CHECK-NEXT:     v5 = libdevice.exp(v4)
// CHECK-NEXT:     v6 = v5 + 1.0
// CHECK-NEXT:     v7 = tl.div_rn(1.0, v6)
// CHECK-NEXT:     v8 = v7 * v2
// CHECK-NEXT:     v9 = tl.load(x6 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v10 = tl.load(t1 + i0 * 28 + i1 + 7, mask=i_in, other=0.0)
// CHECK-NEXT:     v11 = -v10
// CHECK-NEXT:     v12 = libdevice.exp(v11)
// CHECK-NEXT:     v13 = v12 + 1.0
// CHECK-NEXT:     v14 = tl.div_rn(1.0, v13)
// CHECK-NEXT:     v15 = v14 * v9
// CHECK-NEXT:     v16 = v15 + v8
// CHECK-NEXT:     tl.store(y0 + i, v16, mask=i_in)
// CHECK:      # no line of the user
// CHECK-NEXT: # y0: f32[3, 7], t1: f32[3, 28] -> y1: f32[3, 7]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_3(y0, t1, y1):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 21
// CHECK-NEXT:     i1 = i % 7
// CHECK-NEXT:     i0 = i // 7
// CHECK-NEXT:     v1 = tl.load(y0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = libdevice.tanh(v1)
// CHECK-NEXT:     v3 = tl.load(t1 + i0 * 28 + i1 + 21, mask=i_in, other=0.0)
// CHECK-NEXT:     v4 = -v3
// CHECK-NEXT:     v5 = libdevice.exp(v4)
// CHECK-NEXT:     v6 = v5 + 1.0
// CHECK-NEXT:     v7 = tl.div_rn(1.0, v6)
// CHECK-NEXT:     v8 = v7 * v2
// CHECK-NEXT:     tl.store(y1 + i, v8, mask=i_in)
