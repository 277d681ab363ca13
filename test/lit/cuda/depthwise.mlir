// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// With one filter for each channel there is nothing to share: a sum over rows.

func.func @main(%arg0: !torch.vtensor<[1,5,8,8],f32>, %arg1: !torch.vtensor<[5,1,3,3],f32>) -> !torch.vtensor<[1,5,8,8],f32> {
  %int5 = torch.constant.int 5
  %int0 = torch.constant.int 0
  %false = torch.constant.bool false
  %none = torch.constant.none
  %int1 = torch.constant.int 1
  %0 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %1 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %2 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %3 = torch.prim.ListConstruct %int0, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %4 = torch.aten.convolution %arg0, %arg1, %none, %0, %1, %2, %false, %3, %int5 : !torch.vtensor<[1,5,8,8],f32>, !torch.vtensor<[5,1,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !torch.vtensor<[1,5,8,8],f32>
  return %4 : !torch.vtensor<[1,5,8,8],f32>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[1, 5, 8, 8], x1: f32[5, 1, 3, 3] -> y0: f32[1, 5, 8, 8]
// CHECK-NEXT: # blocks: 10, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     r = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     r3 = r % 8
// CHECK-NEXT:     r2 = r // 8 % 8
// CHECK-NEXT:     r1 = r // 64
// CHECK-NEXT:     c = tl.arange(0, 16)
// CHECK-NEXT:     c_in = c < 9
// CHECK-NEXT:     c1 = c % 3
// CHECK-NEXT:     c0 = c // 3
// CHECK-NEXT:     v1 = tl.load(x1 + c[None, :] + r1[:, None] * 9, mask=c_in[None, :], other=0.0)
// CHECK-NEXT:     v2 = (r2[:, None] + c0[None, :] - 1 >= 0) & (r2[:, None] + c0[None, :] - 1 < 8) & (r3[:, None] + c1[None, :] - 1 >= 0) & (r3[:, None] + c1[None, :] - 1 < 8)
// CHECK-NEXT:     v3 = tl.load(x0 + r[:, None] + c0[None, :] * 8 + c1[None, :] - 9, mask=c_in[None, :] & v2, other=0.0)
// CHECK-NEXT:     v4 = v3 * v1
// CHECK-NEXT:     v5 = tl.where(c_in[None, :], v4, 0.0)
// CHECK-NEXT:     v6 = tl.reduce(v5, 1, add)
// CHECK-NEXT:     v7 = v6[:, None]
// CHECK-NEXT:     tl.store(y0 + r[:, None], v7)
