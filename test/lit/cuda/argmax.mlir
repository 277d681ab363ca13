// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// The greatest element and its place are one fold: of equal elements the first counts,
// and a NaN is greater than all.

func.func @main(%arg0: !torch.vtensor<[5,37],f32>) -> (!torch.vtensor<[5],f32>, !torch.vtensor<[5],si64>) {
  %int1 = torch.constant.int 1
  %false = torch.constant.bool false
  %values, %indices = torch.aten.max.dim %arg0, %int1, %false : !torch.vtensor<[5,37],f32>, !torch.int, !torch.bool -> !torch.vtensor<[5],f32>, !torch.vtensor<[5],si64>
  return %values, %indices : !torch.vtensor<[5],f32>, !torch.vtensor<[5],si64>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def first_greatest(a, i, b, j):
// CHECK-NEXT:     a_nan = a != a
// CHECK-NEXT:     b_nan = b != b
// CHECK-NEXT:     tie = (a == b) | (a_nan & b_nan)
// CHECK-NEXT:     left = (a_nan & ~b_nan) | (~b_nan & (a > b)) | (tie & (i < j))
// CHECK-NEXT:     return tl.where(left, a, b), tl.where(left, i, j)
// CHECK:      @triton.jit
// CHECK-NEXT: def maximum(a, b):
// CHECK-NEXT:     return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[5, 37] -> y0: f32[5], y1: i64[5]
// CHECK-NEXT: # blocks: 1, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y0, y1):
// CHECK-NEXT:     r = tl.program_id(0) * 8 + tl.arange(0, 8)
// CHECK-NEXT:     r_in = r < 5
// CHECK-NEXT:     c = tl.arange(0, 64)
// CHECK-NEXT:     c_in = c < 37
// CHECK-NEXT:     v1 = tl.load(x0 + r[:, None] * 37 + c[None, :], mask=r_in[:, None] & c_in[None, :], other=0.0)
// CHECK-NEXT:     v2 = tl.where(c_in[None, :], v1, float("-inf"))
// CHECK-NEXT:     v3 = tl.reduce(v2, 1, maximum)
// CHECK-NEXT:     v4 = v3[:, None]
// CHECK-NEXT:     tl.store(y0 + r[:, None], v4, mask=r_in[:, None])
// CHECK-NEXT:     v5 = (c[None, :]).to(tl.int64)
// CHECK-NEXT:     v6 = tl.where(c_in[None, :], v1, float("-inf"))
// CHECK-NEXT:     v7 = tl.where(c_in[None, :], tl.broadcast_to(v5, (8, 64)), 2147483647)
// CHECK-NEXT:     v8, v9 = tl.reduce((v6, v7), 1, first_greatest)
// CHECK-NEXT:     v10 = v9[:, None]
// CHECK-NEXT:     tl.store(y1 + r[:, None], v10, mask=r_in[:, None])
