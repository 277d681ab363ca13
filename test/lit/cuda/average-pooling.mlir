// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A sum over a window, divided by how many it has.

func.func @main(%arg0: !torch.vtensor<[1,3,9,7],f32>) -> !torch.vtensor<[1,3,5,4],f32> {
  %int3 = torch.constant.int 3
  %0 = torch.prim.ListConstruct %int3, %int3 : (!torch.int, !torch.int) -> !torch.list<int>
  %int2 = torch.constant.int 2
  %1 = torch.prim.ListConstruct %int2, %int2 : (!torch.int, !torch.int) -> !torch.list<int>
  %int1 = torch.constant.int 1
  %2 = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %false = torch.constant.bool false
  %true = torch.constant.bool true
  %none = torch.constant.none
  %3 = torch.aten.avg_pool2d %arg0, %0, %1, %2, %false, %true, %none : !torch.vtensor<[1,3,9,7],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[1,3,5,4],f32>
  return %3 : !torch.vtensor<[1,3,5,4],f32>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[1, 3, 9, 7] -> y0: f32[1, 3, 5, 4]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 64 + tl.arange(0, 64)
// CHECK-NEXT:     i_in = i < 60
// CHECK-NEXT:     i3 = i % 4
// CHECK-NEXT:     i2 = i // 4 % 5
// CHECK-NEXT:     i1 = i // 20
// CHECK-NEXT:     v1 = tl.full((64,), 0.0, tl.float32)
// CHECK-NEXT:     for c in tl.static_range(9):
// CHECK-NEXT:         c1 = c % 3
// CHECK-NEXT:         c0 = c // 3
// CHECK-NEXT:         v2 = (i2 * 2 + c0 - 1 >= 0) & (i2 * 2 + c0 - 1 < 9) & (i3 * 2 + c1 - 1 >= 0) & (i3 * 2 + c1 - 1 < 7)
// CHECK-NEXT:         v3 = tl.load(x0 + i1 * 63 + i2 * 14 + c0 * 7 + i3 * 2 + c1 - 8, mask=i_in & v2, other=0.0)
// CHECK-NEXT:         v1 = add(v1, v3)
// CHECK-NEXT:     v4 = tl.div_rn(v1, 9.0)
// CHECK-NEXT:     tl.store(y0 + i, v4, mask=i_in)
