// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Padding is a condition of the load, and has no memory.

func.func @main(%arg0: !torch.vtensor<[2,16,15,15],f32>, %arg1: !torch.vtensor<[20,16,3,3],f32>, %arg2: !torch.vtensor<[20],f32>) -> !torch.vtensor<[2,20,7,7],f32> {
  %int0 = torch.constant.int 0
  %false = torch.constant.bool false
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %0 = torch.prim.ListConstruct %int2, %int2 : (!torch.int, !torch.int) -> !torch.list<int>
  %1 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %2 = torch.prim.ListConstruct %int2, %int2 : (!torch.int, !torch.int) -> !torch.list<int>
  %3 = torch.prim.ListConstruct %int0, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %4 = torch.aten.convolution %arg0, %arg1, %arg2, %0, %1, %2, %false, %3, %int1 : !torch.vtensor<[2,16,15,15],f32>, !torch.vtensor<[20,16,3,3],f32>, !torch.vtensor<[20],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !torch.vtensor<[2,20,7,7],f32>
  return %4 : !torch.vtensor<[2,20,7,7],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[2, 16, 15, 15], x1: f32[20, 16, 3, 3], x2: f32[20] -> y0: f32[2, 20, 7, 7]
// CHECK-NEXT: # blocks: 4, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, x2, y0):
// CHECK-NEXT:     p = tl.program_id(0)
// CHECK-NEXT:     m = p % 4 * 32 + tl.arange(0, 32)
// CHECK-NEXT:     m_in = m < 98
// CHECK-NEXT:     m2 = m % 7
// CHECK-NEXT:     m1 = m // 7 % 7
// CHECK-NEXT:     m0 = m // 49
// CHECK-NEXT:     n = tl.arange(0, 32)
// CHECK-NEXT:     n_in = n < 20
// CHECK-NEXT:     acc = tl.zeros((32, 32), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 144, 32):
// CHECK-NEXT:         k = k_start + tl.arange(0, 32)
// CHECK-NEXT:         k_in = k < 144
// CHECK-NEXT:         k2 = k % 3
// CHECK-NEXT:         k1 = k // 3 % 3
// CHECK-NEXT:         k0 = k // 9
// CHECK-NEXT:         v1 = (m1[:, None] * 2 + k1[None, :] * 2 - 1 >= 0) & (m1[:, None] * 2 + k1[None, :] * 2 - 1 < 15) & (m2[:, None] * 2 + k2[None, :] * 2 - 1 >= 0) & (m2[:, None] * 2 + k2[None, :] * 2 - 1 < 15)
// CHECK-NEXT:         v2 = tl.load(x0 + m0[:, None] * 3600 + k0[None, :] * 225 + m1[:, None] * 30 + k1[None, :] * 30 + m2[:, None] * 2 + k2[None, :] * 2 - 16, mask=m_in[:, None] & k_in[None, :] & v1, other=0.0)
// CHECK-NEXT:         v3 = tl.load(x1 + k[:, None] + n[None, :] * 144, mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v2, v3, acc, input_precision="tf32x3")
// CHECK-NEXT:     v4 = tl.load(x2 + n[None, :], mask=n_in[None, :], other=0.0)
// CHECK-NEXT:     v5 = acc + v4.to(tl.float32)
// CHECK-NEXT:     tl.store(y0 + m0[:, None] * 980 + n[None, :] * 49 + m1[:, None] * 7 + m2[:, None], v5, mask=m_in[:, None] & n_in[None, :])
