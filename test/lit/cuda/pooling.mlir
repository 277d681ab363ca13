// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// The window is a row; what is outside of the image is no greatest element.

func.func @main(%arg0: !torch.vtensor<[1,4,9,9],f32>) -> !torch.vtensor<[1,4,5,5],f32> {
  %false = torch.constant.bool false
  %int1 = torch.constant.int 1
  %int2 = torch.constant.int 2
  %int3 = torch.constant.int 3
  %0 = torch.prim.ListConstruct %int3, %int3 : (!torch.int, !torch.int) -> !torch.list<int>
  %1 = torch.prim.ListConstruct %int2, %int2 : (!torch.int, !torch.int) -> !torch.list<int>
  %2 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %3 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %4 = torch.aten.max_pool2d %arg0, %0, %1, %2, %3, %false : !torch.vtensor<[1,4,9,9],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool -> !torch.vtensor<[1,4,5,5],f32>
  return %4 : !torch.vtensor<[1,4,5,5],f32>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def maximum(a, b):
// CHECK-NEXT:     return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[1, 4, 9, 9] -> y0: f32[1, 4, 5, 5]
// CHECK-NEXT: # blocks: 4, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y0):
// CHECK-NEXT:     r = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     r_in = r < 100
// CHECK-NEXT:     r3 = r % 5
// CHECK-NEXT:     r2 = r // 5 % 5
// CHECK-NEXT:     r1 = r // 25
// CHECK-NEXT:     c = tl.arange(0, 16)
// CHECK-NEXT:     c_in = c < 9
// CHECK-NEXT:     c1 = c % 3
// CHECK-NEXT:     c0 = c // 3
// CHECK-NEXT:     v1 = (r2[:, None] * 2 + c0[None, :] - 1 >= 0) & (r2[:, None] * 2 + c0[None, :] - 1 < 9) & (r3[:, None] * 2 + c1[None, :] - 1 >= 0) & (r3[:, None] * 2 + c1[None, :] - 1 < 9)
// CHECK-NEXT:     v2 = tl.load(x0 + r1[:, None] * 81 + r2[:, None] * 18 + c0[None, :] * 9 + r3[:, None] * 2 + c1[None, :] - 10, mask=r_in[:, None] & c_in[None, :] & v1, other=0.0)
// CHECK-NEXT:     v3 = tl.where(v1, v2, float("-inf"))
// CHECK-NEXT:     v4 = tl.where(c_in[None, :], v3, float("-inf"))
// CHECK-NEXT:     v5 = tl.reduce(v4, 1, maximum)
// CHECK-NEXT:     v6 = v5[:, None]
// CHECK-NEXT:     tl.store(y0 + r[:, None], v6, mask=r_in[:, None])
