// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A convolution over one dimension is a product like any other.

func.func @main(%arg0: !torch.vtensor<[2,3,15],f32>, %arg1: !torch.vtensor<[18,3,5],f32>, %arg2: !torch.vtensor<[18],f32>) -> !torch.vtensor<[2,18,8],f32> {
  %int2 = torch.constant.int 2
  %0 = torch.prim.ListConstruct %int2 : (!torch.int) -> !torch.list<int>
  %1 = torch.prim.ListConstruct %int2 : (!torch.int) -> !torch.list<int>
  %int1 = torch.constant.int 1
  %2 = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
  %3 = torch.aten.conv1d %arg0, %arg1, %arg2, %0, %1, %2, %int1 : !torch.vtensor<[2,3,15],f32>, !torch.vtensor<[18,3,5],f32>, !torch.vtensor<[18],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[2,18,8],f32>
  return %3 : !torch.vtensor<[2,18,8],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[2, 3, 15], x1: f32[18, 3, 5], x2: f32[18] -> y0: f32[2, 18, 8]
// CHECK-NEXT: # blocks: 1, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, x2, y0):
// CHECK-NEXT:     m = tl.arange(0, 16)
// CHECK-NEXT:     m1 = m % 8
// CHECK-NEXT:     m0 = m // 8
// CHECK-NEXT:     n = tl.arange(0, 32)
// CHECK-NEXT:     n_in = n < 18
// CHECK-NEXT:     acc = tl.zeros((16, 32), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 15, 16):
// CHECK-NEXT:         k = k_start + tl.arange(0, 16)
// CHECK-NEXT:         k_in = k < 15
// CHECK-NEXT:         k1 = k % 5
// CHECK-NEXT:         k0 = k // 5
// CHECK-NEXT:         v1 = (m1[:, None] * 2 + k1[None, :] - 2 >= 0) & (m1[:, None] * 2 + k1[None, :] - 2 < 15)
// CHECK-NEXT:         v2 = tl.load(x0 + m0[:, None] * 45 + k0[None, :] * 15 + m1[:, None] * 2 + k1[None, :] - 2, mask=k_in[None, :] & v1, other=0.0)
// CHECK-NEXT:         v3 = tl.load(x1 + k[:, None] + n[None, :] * 15, mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v2, v3, acc, input_precision="tf32x3")
// CHECK-NEXT:     v4 = tl.load(x2 + n[None, :], mask=n_in[None, :], other=0.0)
// CHECK-NEXT:     v5 = acc + v4.to(tl.float32)
// CHECK-NEXT:     tl.store(y0 + m0[:, None] * 144 + n[None, :] * 8 + m1[:, None], v5, mask=n_in[None, :])
