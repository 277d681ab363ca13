// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A row of a table, whose number is data.

func.func @main(%arg0: !torch.vtensor<[1,3],si64>, %arg1: !torch.vtensor<[9,5],f32>) -> !torch.vtensor<[1,3,5],f32> {
  %int-1 = torch.constant.int -1
  %false = torch.constant.bool false
  %0 = torch.aten.embedding %arg1, %arg0, %int-1, %false, %false : !torch.vtensor<[9,5],f32>, !torch.vtensor<[1,3],si64>, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[1,3,5],f32>
  return %0 : !torch.vtensor<[1,3,5],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: i64[1, 3], x1: f32[9, 5] -> y0: f32[1, 3, 5]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 15
// CHECK-NEXT:     i2 = i % 5
// CHECK-NEXT:     i1 = i // 5
// CHECK-NEXT:     v1 = tl.load(x0 + i1, mask=i_in, other=0)
// CHECK-NEXT:     v2 = v1.to(tl.int32)
// CHECK-NEXT:     v3 = tl.maximum(v2, 0)
// CHECK-NEXT:     v4 = tl.minimum(v3, 8)
// CHECK-NEXT:     v5 = tl.load(x1 + v4 * 5 + (i2), mask=i_in, other=0.0)
// CHECK-NEXT:     tl.store(y0 + i, v5, mask=i_in)
