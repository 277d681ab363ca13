// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Groups are a batch of products: each reads channels and filters of its own.

func.func @main(%arg0: !torch.vtensor<[1,6,7,7],f32>, %arg1: !torch.vtensor<[8,3,3,3],f32>) -> !torch.vtensor<[1,8,5,5],f32> {
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %0 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %int0 = torch.constant.int 0
  %1 = torch.prim.ListConstruct %int0, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %2 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %int2 = torch.constant.int 2
  %3 = torch.aten.conv2d %arg0, %arg1, %none, %0, %1, %2, %int2 : !torch.vtensor<[1,6,7,7],f32>, !torch.vtensor<[8,3,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,8,5,5],f32>
  return %3 : !torch.vtensor<[1,8,5,5],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[1, 6, 7, 7], x1: f32[8, 3, 3, 3] -> y0: f32[1, 8, 5, 5]
// CHECK-NEXT: # blocks: 2, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     p = tl.program_id(0)
// CHECK-NEXT:     b = p
// CHECK-NEXT:     m = tl.arange(0, 32)
// CHECK-NEXT:     m_in = m < 25
// CHECK-NEXT:     m1 = m % 5
// CHECK-NEXT:     m0 = m // 5
// CHECK-NEXT:     n = tl.arange(0, 16)
// CHECK-NEXT:     n_in = n < 4
// CHECK-NEXT:     acc = tl.zeros((32, 16), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 27, 16):
// CHECK-NEXT:         k = k_start + tl.arange(0, 16)
// CHECK-NEXT:         k_in = k < 27
// CHECK-NEXT:         k2 = k % 3
// CHECK-NEXT:         k1 = k // 3 % 3
// CHECK-NEXT:         k0 = k // 9
// CHECK-NEXT:         v1 = tl.load(x0 + b * 147 + k0[None, :] * 49 + m0[:, None] * 7 + k1[None, :] * 7 + m1[:, None] + k2[None, :], mask=m_in[:, None] & k_in[None, :], other=0.0)
// CHECK-NEXT:         v2 = tl.load(x1 + k[:, None] + b * 108 + n[None, :] * 27, mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v1, v2, acc, input_precision="tf32x3")
// CHECK-NEXT:     tl.store(y0 + m[:, None] + b * 100 + n[None, :] * 25, acc, mask=m_in[:, None] & n_in[None, :])
