// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Halves are multiplied as such and summed in f32; a sum is rounded once.

func.func @main(%arg0: !torch.vtensor<[20,40],f16>, %arg1: !torch.vtensor<[40,24],f16>) -> !torch.vtensor<[20,24],f16> {
  %0 = torch.aten.matmul %arg0, %arg1 : !torch.vtensor<[20,40],f16>, !torch.vtensor<[40,24],f16> -> !torch.vtensor<[20,24],f16>
  %1 = torch.aten.relu %0 : !torch.vtensor<[20,24],f16> -> !torch.vtensor<[20,24],f16>
  return %1 : !torch.vtensor<[20,24],f16>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f16[20, 40], x1: f16[40, 24] -> y0: f16[20, 24]
// CHECK-NEXT: # blocks: 1, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     m = tl.arange(0, 32)
// CHECK-NEXT:     m_in = m < 20
// CHECK-NEXT:     n = tl.arange(0, 32)
// CHECK-NEXT:     n_in = n < 24
// CHECK-NEXT:     acc = tl.zeros((32, 32), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 40, 64):
// CHECK-NEXT:         k = k_start + tl.arange(0, 64)
// CHECK-NEXT:         k_in = k < 40
// CHECK-NEXT:         v1 = tl.load(x0 + m[:, None] * 40 + k[None, :], mask=m_in[:, None] & k_in[None, :], other=0.0)
// CHECK-NEXT:         v2 = tl.load(x1 + k[:, None] * 24 + n[None, :], mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v1, v2, acc)
// CHECK-NEXT:     v3 = acc.to(tl.float16)
// CHECK-NEXT:     v4 = v3 < 0.0
// CHECK-NEXT:     v5 = tl.where(v4, tl.full((), 0.0, tl.float16), v3)
// CHECK-NEXT:     tl.store(y0 + m[:, None] * 24 + n[None, :], v5, mask=m_in[:, None] & n_in[None, :])
