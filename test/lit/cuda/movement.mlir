// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Slices, concatenations and reshapes say where an element comes from.

func.func @main(%arg0: !torch.vtensor<[3,5],f32>, %arg1: !torch.vtensor<[3,4],f32>) -> !torch.vtensor<[18],f32> {
  %int-1 = torch.constant.int -1
  %int1 = torch.constant.int 1
  %int3 = torch.constant.int 3
  %0 = torch.aten.slice.Tensor %arg0, %int1, %int1, %int3, %int1 : !torch.vtensor<[3,5],f32>, !torch.int, !torch.int, !torch.int, !torch.int -> !torch.vtensor<[3,2],f32>
  %1 = torch.prim.ListConstruct %0, %arg1 : (!torch.vtensor<[3,2],f32>, !torch.vtensor<[3,4],f32>) -> !torch.list<vtensor>
  %2 = torch.aten.cat %1, %int1 : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[3,6],f32>
  %3 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
  %4 = torch.aten.view %2, %3 : !torch.vtensor<[3,6],f32>, !torch.list<int> -> !torch.vtensor<[18],f32>
  return %4 : !torch.vtensor<[18],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[3, 5], x1: f32[3, 4] -> y0: f32[18]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 18
// CHECK-NEXT:     v1 = i % 6 < 2
// CHECK-NEXT:     v2 = tl.load(x0 + (i // 6) * 5 + i % 6 + 1, mask=i_in & v1, other=0.0)
// CHECK-NEXT:     v3 = i % 6 - 2 >= 0
// CHECK-NEXT:     v4 = tl.load(x1 + (i // 6) * 4 + i % 6 - 2, mask=i_in & v3, other=0.0)
// CHECK-NEXT:     v5 = tl.where(v1, v2, v4)
// CHECK-NEXT:     tl.store(y0 + i, v5, mask=i_in)
