// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// What is read again and again by a convolution is computed before it, once.

func.func @main(%arg0: !torch.vtensor<[1,4,6,6],f32>, %arg1: !torch.vtensor<[8,4,3,3],f32>) -> !torch.vtensor<[1,8,4,4],f32> {
  %false = torch.constant.bool false
  %int0 = torch.constant.int 0
  %int1 = torch.constant.int 1
  %none = torch.constant.none
  %0 = torch.aten.exp %arg0 : !torch.vtensor<[1,4,6,6],f32> -> !torch.vtensor<[1,4,6,6],f32>
  %1 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %2 = torch.prim.ListConstruct %int0, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %3 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %4 = torch.prim.ListConstruct %int0, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %5 = torch.aten.convolution %0, %arg1, %none, %1, %2, %3, %false, %4, %int1 : !torch.vtensor<[1,4,6,6],f32>, !torch.vtensor<[8,4,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !torch.vtensor<[1,8,4,4],f32>
  return %5 : !torch.vtensor<[1,8,4,4],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[1, 4, 6, 6] -> t0: f32[1, 4, 6, 6]
// CHECK-NEXT: # blocks: 1, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, t0):
// CHECK-NEXT:     i = tl.program_id(0) * 256 + tl.arange(0, 256)
// CHECK-NEXT:     i_in = i < 144
// CHECK-NEXT:     v1 = tl.load(x0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = libdevice.exp(v1)
// CHECK-NEXT:     tl.store(t0 + i, v2, mask=i_in)
// CHECK:      # no line of the user
// CHECK-NEXT: # x1: f32[8, 4, 3, 3], t0: f32[1, 4, 6, 6] -> y0: f32[1, 8, 4, 4]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_1(x1, t0, y0):
// CHECK-NEXT:     m = tl.arange(0, 16)
// CHECK-NEXT:     m1 = m % 4
// CHECK-NEXT:     m0 = m // 4
// CHECK-NEXT:     n = tl.arange(0, 16)
// CHECK-NEXT:     n_in = n < 8
// CHECK-NEXT:     acc = tl.zeros((16, 16), tl.float32)
// CHECK-NEXT:     for k_start in range(0, 36, 16):
// CHECK-NEXT:         k = k_start + tl.arange(0, 16)
// CHECK-NEXT:         k_in = k < 36
// CHECK-NEXT:         k2 = k % 3
// CHECK-NEXT:         k1 = k // 3 % 3
// CHECK-NEXT:         k0 = k // 9
// CHECK-NEXT:         v1 = tl.load(t0 + k0[None, :] * 36 + m0[:, None] * 6 + k1[None, :] * 6 + m1[:, None] + k2[None, :], mask=k_in[None, :], other=0.0)
// CHECK-NEXT:         v2 = tl.load(x1 + k[:, None] + n[None, :] * 36, mask=k_in[:, None] & n_in[None, :], other=0.0)
// CHECK-NEXT:         acc = tl.dot(v1, v2, acc, input_precision="tf32x3")
// CHECK-NEXT:     tl.store(y0 + m[:, None] + n[None, :] * 16, acc, mask=n_in[None, :])
