// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Casts are those of eager: towards zero to integers, to the nearest number to halves.

func.func @main(%arg0: !torch.vtensor<[9],f32>, %arg1: !torch.vtensor<[9],si64>) -> (!torch.vtensor<[9],si64>, !torch.vtensor<[9],f16>, !torch.vtensor<[9],f32>, !torch.vtensor<[9],f32>, !torch.vtensor<[9],bf16>) {
  %int4 = torch.constant.int 4
  %false = torch.constant.bool false
  %none = torch.constant.none
  %0 = torch.aten.to.dtype %arg0, %int4, %false, %false, %none : !torch.vtensor<[9],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[9],si64>
  %int5 = torch.constant.int 5
  %1 = torch.aten.to.dtype %arg0, %int5, %false, %false, %none : !torch.vtensor<[9],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[9],f16>
  %int6 = torch.constant.int 6
  %2 = torch.aten.to.dtype %arg1, %int6, %false, %false, %none : !torch.vtensor<[9],si64>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[9],f32>
  %int0 = torch.constant.int 0
  %3 = torch.aten.ne.Scalar %arg1, %int0 : !torch.vtensor<[9],si64>, !torch.int -> !torch.vtensor<[9],i1>
  %4 = torch.aten.to.dtype %3, %int6, %false, %false, %none : !torch.vtensor<[9],i1>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[9],f32>
  %int15 = torch.constant.int 15
  %5 = torch.aten.to.dtype %arg0, %int15, %false, %false, %none : !torch.vtensor<[9],f32>, !torch.int, !torch.bool, !torch.bool, !torch.none -> !torch.vtensor<[9],bf16>
  return %0, %1, %2, %4, %5 : !torch.vtensor<[9],si64>, !torch.vtensor<[9],f16>, !torch.vtensor<[9],f32>, !torch.vtensor<[9],f32>, !torch.vtensor<[9],bf16>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[9] -> y4: bf16[9]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y4):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 9
// CHECK-NEXT:     v1 = tl.load(x0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = v1.to(tl.bfloat16)
// CHECK-NEXT:     tl.store(y4 + i, v2, mask=i_in)
// CHECK:      # no line of the user
// CHECK-NEXT: # x1: i64[9] -> y3: f32[9]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_1(x1, y3):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 9
// CHECK-NEXT:     v1 = tl.load(x1 + i, mask=i_in, other=0)
// CHECK-NEXT:     v2 = v1 != 0
// CHECK-NEXT:     v3 = v2.to(tl.float32)
// CHECK-NEXT:     tl.store(y3 + i, v3, mask=i_in)
// CHECK:      # no line of the user
// CHECK-NEXT: # x1: i64[9] -> y2: f32[9]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_2(x1, y2):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 9
// CHECK-NEXT:     v1 = tl.load(x1 + i, mask=i_in, other=0)
// CHECK-NEXT:     v2 = v1.to(tl.float32)
// CHECK-NEXT:     tl.store(y2 + i, v2, mask=i_in)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[9] -> y1: f16[9]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_3(x0, y1):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 9
// CHECK-NEXT:     v1 = tl.load(x0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = v1.to(tl.float16)
// CHECK-NEXT:     tl.store(y1 + i, v2, mask=i_in)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[9] -> y0: i64[9]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_4(x0, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 9
// CHECK-NEXT:     v1 = tl.load(x0 + i, mask=i_in, other=0.0)
// CHECK-NEXT:     v2 = v1.to(tl.int64)
// CHECK-NEXT:     tl.store(y0 + i, v2, mask=i_in)
