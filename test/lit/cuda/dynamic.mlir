// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Sizes that a call decides are parameters, as is what the host computes from them;
// both arguments have as many rows, which the host asks for, so one size is enough.

func.func @main(%x: !torch.vtensor<[?,16],f32>, %w: !torch.vtensor<[8,16],f32>, %b: !torch.vtensor<[8],f32>, %y: !torch.vtensor<[?,8],f32>) -> !torch.vtensor<[?,8],f32> {
  %int1 = torch.constant.int 1
  %0 = torch.aten.linear %x, %w, %b : !torch.vtensor<[?,16],f32>, !torch.vtensor<[8,16],f32>, !torch.vtensor<[8],f32> -> !torch.vtensor<[?,8],f32>
  %1 = torch.aten.add.Tensor %0, %y, %int1 : !torch.vtensor<[?,8],f32>, !torch.vtensor<[?,8],f32>, !torch.int -> !torch.vtensor<[?,8],f32>
  return %1 : !torch.vtensor<[?,8],f32>
}

// CHECK: # x0: f32[x3_0, 16], x1: f32[8, 16], x2: f32[8], x3: f32[x3_0, 8], n0: (x3_0 + 63) // 64, x3_0: size -> y0: f32[x3_0, 8]
// CHECK: # blocks: n0, warps: 4
// CHECK: def main_0(x0, x1, x2, x3, n0, x3_0, y0):
// CHECK: p = tl.program_id(0)
// CHECK: m = p % n0 * 64 + tl.arange(0, 64)
// CHECK: m_in = m < x3_0
// CHECK: n_in = n < 8
// CHECK: v1 = tl.load(x0 + m[:, None] * 16 + k[None, :], mask=m_in[:, None], other=0.0)
// CHECK: v2 = tl.load(x1 + n[None, :] * 16 + k[:, None], mask=n_in[None, :], other=0.0)
// CHECK: v3 = tl.load(x3 + m[:, None] * 8 + n[None, :], mask=m_in[:, None] & n_in[None, :], other=0.0)
// CHECK: v4 = tl.load(x2 + n[None, :], mask=n_in[None, :], other=0.0)
// CHECK: tl.store(y0 + m[:, None] * 8 + n[None, :], v6, mask=m_in[:, None] & n_in[None, :])
