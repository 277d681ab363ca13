// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A comparison with a NaN is false, but for `!=`; `clamp` hands a NaN on.

func.func @main(%arg0: !torch.vtensor<[9],f32>, %arg1: !torch.vtensor<[9],f32>) -> (!torch.vtensor<[9],i1>, !torch.vtensor<[9],i1>, !torch.vtensor<[9],f32>) {
  %0 = torch.aten.ne.Tensor %arg0, %arg0 : !torch.vtensor<[9],f32>, !torch.vtensor<[9],f32> -> !torch.vtensor<[9],i1>
  %1 = torch.aten.ge.Tensor %arg0, %arg1 : !torch.vtensor<[9],f32>, !torch.vtensor<[9],f32> -> !torch.vtensor<[9],i1>
  %int-1 = torch.constant.int -1
  %int1 = torch.constant.int 1
  %2 = torch.aten.clamp %arg0, %int-1, %int1 : !torch.vtensor<[9],f32>, !torch.int, !torch.int -> !torch.vtensor<[9],f32>
  return %0, %1, %2 : !torch.vtensor<[9],i1>, !torch.vtensor<[9],i1>, !torch.vtensor<[9],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[9] -> y2: f32[9]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y2):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 9
// CHECK-NEXT:     v1 = tl.load(x0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = v1 < -1.0
// CHECK-NEXT:     v3 = tl.where(v2, -1.0, v1)
// CHECK-NEXT:     v4 = v3 > 1.0
// CHECK-NEXT:     v5 = tl.where(v4, 1.0, v3)
// CHECK-NEXT:     tl.store(y2 + i, v5, mask=i_in)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[9], x1: f32[9] -> y1: i1[9]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_1(x0, x1, y1):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 9
// CHECK-NEXT:     v1 = tl.load(x1 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = tl.load(x0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v3 = v2 >= v1
// CHECK-NEXT:     tl.store(y1 + i, v3, mask=i_in)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[9] -> y0: i1[9]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_2(x0, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 9
// CHECK-NEXT:     v1 = tl.load(x0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = v1 != v1
// CHECK-NEXT:     tl.store(y0 + i, v2, mask=i_in)
