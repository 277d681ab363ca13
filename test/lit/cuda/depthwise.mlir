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
// CHECK-NEXT: # blocks: 2, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 256 + tl.arange(0, 256)
// CHECK-NEXT:     i_in = i < 320
// CHECK-NEXT:     i3 = i % 8
// CHECK-NEXT:     i2 = i // 8 % 8
// CHECK-NEXT:     i1 = i // 64
// CHECK-NEXT:     v1 = tl.full((256,), 0.0, tl.float32)
// CHECK-NEXT:     for c in tl.static_range(9):
// CHECK-NEXT:         c1 = c % 3
// CHECK-NEXT:         c0 = c // 3
// CHECK-NEXT:         v2 = tl.load(x1 + c + i1 * 9, mask=i_in, other=0.0)
// CHECK-NEXT:         v3 = (i2 + c0 - 1 >= 0) & (i2 + c0 - 1 < 8) & (i3 + c1 - 1 >= 0) & (i3 + c1 - 1 < 8)
// CHECK-NEXT:         v4 = tl.load(x0 + i + c0 * 8 + c1 - 9, mask=i_in & v3, other=0.0)
// CHECK-NEXT:         v5 = v4 * v2
// CHECK-NEXT:         v1 = add(v1, v5)
// CHECK-NEXT:     tl.store(y0 + i, v1, mask=i_in)
