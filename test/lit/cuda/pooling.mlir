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
// CHECK-NEXT: # blocks: 1, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 128 + tl.arange(0, 128)
// CHECK-NEXT:     i_in = i < 100
// CHECK-NEXT:     i3 = i % 5
// CHECK-NEXT:     i2 = i // 5 % 5
// CHECK-NEXT:     i1 = i // 25
// CHECK-NEXT:     v1 = tl.full((128,), float("-inf"), tl.float32)
// CHECK-NEXT:     for c in tl.static_range(9):
// CHECK-NEXT:         c1 = c % 3
// CHECK-NEXT:         c0 = c // 3
// CHECK-NEXT:         v2 = (i2 * 2 + c0 - 1 >= 0) & (i2 * 2 + c0 - 1 < 9) & (i3 * 2 + c1 - 1 >= 0) & (i3 * 2 + c1 - 1 < 9)
// CHECK-NEXT:         v3 = tl.load(x0 + i1 * 81 + i2 * 18 + c0 * 9 + i3 * 2 + c1 - 10, mask=i_in & v2, other=0.0)
// CHECK-NEXT:         v4 = tl.where(v2, v3, float("-inf"))
// CHECK-NEXT:         v1 = maximum(v1, v4)
// CHECK-NEXT:     tl.store(y0 + i, v1, mask=i_in)
