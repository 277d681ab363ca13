// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A matrix product for each of a batch: blocks by batch, row, and column.

func.func @main(%arg0: !torch.vtensor<[3,20,32],f32>, %arg1: !torch.vtensor<[3,32,70],f32>) -> !torch.vtensor<[3,20,70],f32> {
  %0 = torch.aten.bmm %arg0, %arg1 : !torch.vtensor<[3,20,32],f32>, !torch.vtensor<[3,32,70],f32> -> !torch.vtensor<[3,20,70],f32>
  return %0 : !torch.vtensor<[3,20,70],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[3, 20, 32], x1: f32[3, 32, 70] -> y0: f32[3, 20, 70]
// CHECK-NEXT: # blocks: 9, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     p = tl.program_id(0)
// CHECK-NEXT:     b = p // 3
// CHECK-NEXT:     m = tl.arange(0, 32)
// CHECK-NEXT:     m_in = m < 20
// CHECK-NEXT:     n = p % 3 * 32 + tl.arange(0, 32)
// CHECK-NEXT:     n_in = n < 70
// CHECK-NEXT:     acc = tl.zeros((32, 32), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 32, 32):
// CHECK-NEXT:         k = k_start + tl.arange(0, 32)
// CHECK-NEXT:         v1 = tl.load(x0 + b * 640 + m[:, None] * 32 + k[None, :], mask=m_in[:, None], other=0.0)
// CHECK-NEXT:         v2 = tl.load(x1 + b * 2240 + k[:, None] * 70 + n[None, :], mask=n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v1, v2, acc, input_precision="tf32x3")
// CHECK-NEXT:     tl.store(y0 + b * 1400 + m[:, None] * 70 + n[None, :], acc, mask=m_in[:, None] & n_in[None, :])
