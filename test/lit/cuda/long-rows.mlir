// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A row that does not fit is read in pieces; of equal elements the first counts.

func.func @main(%arg0: !torch.vtensor<[2,5000],f32>) -> !torch.vtensor<[2],si64> {
  %int-1 = torch.constant.int -1
  %false = torch.constant.bool false
  %values, %indices = torch.aten.max.dim %arg0, %int-1, %false : !torch.vtensor<[2,5000],f32>, !torch.int, !torch.bool -> !torch.vtensor<[2],f32>, !torch.vtensor<[2],si64>
  return %indices : !torch.vtensor<[2],si64>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def first_greatest(a, i, b, j):
// CHECK-NEXT:     a_nan = a != a
// CHECK-NEXT:     b_nan = b != b
// CHECK-NEXT:     tie = (a == b) | (a_nan & b_nan)
// CHECK-NEXT:     left = (a_nan & ~b_nan) | (~b_nan & (a > b)) | (tie & (i < j))
// CHECK-NEXT:     return tl.where(left, a, b), tl.where(left, i, j)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[2, 5000] -> y0: i64[2]
// CHECK-NEXT: # blocks: 2, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y0):
// CHECK-NEXT:     r = tl.program_id(0) * 1 + tl.arange(0, 1)
// CHECK-NEXT:     v1 = tl.full((1, 1024), float("-inf"), tl.float32)
// CHECK-NEXT:     v2 = tl.full((1, 1024), 2147483647, tl.int64)
// CHECK-NEXT:     for c_start in range(0, 5000, 1024):
// CHECK-NEXT:         c = c_start + tl.arange(0, 1024)
// CHECK-NEXT:         c_in = c < 5000
// CHECK-NEXT:         v3 = tl.load(x0 + r[:, None] * 5000 + c[None, :], mask=c_in[None, :], other=0.0)
// CHECK-NEXT:         v4 = (c[None, :]).to(tl.int64)
// CHECK-NEXT:         v5 = tl.where(c_in[None, :], v3, float("-inf"))
// CHECK-NEXT:         v6 = tl.where(c_in[None, :], tl.broadcast_to(v4, (1, 1024)), 2147483647)
// CHECK-NEXT:         v1, v2 = first_greatest(v1, v2, v5, v6)
// CHECK-NEXT:     v7, v8 = tl.reduce((v1, v2), 1, first_greatest)
// CHECK-NEXT:     v9 = v8[:, None]
// CHECK-NEXT:     tl.store(y0 + r[:, None], v9)
