// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// An index that is data is clamped, and then one like any other.

func.func @main(%arg0: !torch.vtensor<[3],si64>, %arg1: !torch.vtensor<[9,6],f32>) -> !torch.vtensor<[3,6],f32> {
  %int-1 = torch.constant.int -1
  %false = torch.constant.bool false
  %0 = torch.aten.embedding %arg1, %arg0, %int-1, %false, %false : !torch.vtensor<[9,6],f32>, !torch.vtensor<[3],si64>, !torch.int, !torch.bool, !torch.bool -> !torch.vtensor<[3,6],f32>
  return %0 : !torch.vtensor<[3,6],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: i64[3], x1: f32[9, 6] -> y0: f32[3, 6]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 18
// CHECK-NEXT:     i1 = i % 6
// CHECK-NEXT:     i0 = i // 6
// CHECK-NEXT:     v1 = tl.load(x0 + i0, mask=i_in, other=0)
// CHECK-NEXT:     v2 = v1.to(tl.int32)
// CHECK-NEXT:     v3 = tl.maximum(v2, 0)
// CHECK-NEXT:     v4 = tl.minimum(v3, 8)
// CHECK-NEXT:     v5 = tl.load(x1 + v4 * 6 + (i1), mask=i_in, other=0.0)
// CHECK-NEXT:     tl.store(y0 + i, v5, mask=i_in)
