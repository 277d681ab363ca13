// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// One block would sum a long row alone: blocks sum parts of it, and a second function
// adds them before what is left. Of columns, a tile has neighbours in memory.

func.func @main(%arg0: !torch.vtensor<[100000],f32>) -> !torch.vtensor<[],f32> {
  %none = torch.constant.none
  %2 = torch.constant.float 2.0
  %0 = torch.aten.sum %arg0, %none : !torch.vtensor<[100000],f32>, !torch.none -> !torch.vtensor<[],f32>
  %1 = torch.aten.mul.Scalar %0, %2 : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],f32>
  return %1 : !torch.vtensor<[],f32>
}

func.func @columns(%arg0: !torch.vtensor<[500,300],f32>) -> (!torch.vtensor<[300],f32>, !torch.vtensor<[300],si64>) {
  %int0 = torch.constant.int 0
  %false = torch.constant.bool false
  %0, %1 = torch.aten.max.dim %arg0, %int0, %false : !torch.vtensor<[500,300],f32>, !torch.int, !torch.bool -> !torch.vtensor<[300],f32>, !torch.vtensor<[300],si64>
  return %0, %1 : !torch.vtensor<[300],f32>, !torch.vtensor<[300],si64>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      @triton.jit
// CHECK-NEXT: def first_greatest(a, i, b, j):
// CHECK-NEXT:     a_nan = a != a
// CHECK-NEXT:     b_nan = b != b
// CHECK-NEXT:     tie = (a == b) | (a_nan & b_nan)
// CHECK-NEXT:     left = (a_nan & ~b_nan) | (~b_nan & (a > b)) | (tie & (i < j))
// CHECK-NEXT:     return tl.where(left, a, b), tl.where(left, i, j)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[100000] -> t0: f32[20]
// CHECK-NEXT: # blocks: 20, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, t0):
// CHECK-NEXT:     s = tl.program_id(0)
// CHECK-NEXT:     v1 = tl.full((1, 1024), 0.0, tl.float32)
// CHECK-NEXT:     for c_start in range(s * 5120, tl.minimum(s * 5120 + 5120, 100000), 1024):
// CHECK-NEXT:         c = c_start + tl.arange(0, 1024)
// CHECK-NEXT:         c_in = c < 100000
// CHECK-NEXT:         v2 = tl.load(x0 + c[None, :], mask=c_in[None, :], other=0.0)
// CHECK-NEXT:         v1 = add(v1, v2)
// CHECK-NEXT:     v3 = tl.reduce(v1, 1, add)
// CHECK-NEXT:     v4 = v3[:, None]
// CHECK-NEXT:     tl.store(t0 + s + tl.zeros((1, 1), tl.int32), v4)
// CHECK:      # no line of the user
// CHECK-NEXT: # t0: f32[20] -> y0: f32[]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_1(t0, y0):
// CHECK-NEXT:     c = tl.arange(0, 32)
// CHECK-NEXT:     c_in = c < 20
// CHECK-NEXT:     v1 = tl.load(t0 + c[None, :], mask=c_in[None, :], other=0.0)
// CHECK-NEXT:     v2 = tl.where(c_in[None, :], v1, 0.0)
// CHECK-NEXT:     v3 = tl.reduce(v2, 1, add)
// CHECK-NEXT:     v4 = v3[:, None]
// CHECK-NEXT:     v5 = v4 * 2.0
// CHECK-NEXT:     tl.store(y0 + tl.zeros((1, 1), tl.int32), v5)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[500, 300] -> t0: f32[8, 300], t1: i64[8, 300]
// CHECK-NEXT: # blocks: 40, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def columns_0(x0, t0, t1):
// CHECK-NEXT:     s = tl.program_id(0) // 5
// CHECK-NEXT:     r = tl.program_id(0) % 5 * 64 + tl.arange(0, 64)
// CHECK-NEXT:     r_in = r < 300
// CHECK-NEXT:     v1 = tl.full((64, 16), float("-inf"), tl.float32)
// CHECK-NEXT:     v2 = tl.full((64, 16), 2147483647, tl.int64)
// CHECK-NEXT:     for c_start in range(s * 64, tl.minimum(s * 64 + 64, 500), 16):
// CHECK-NEXT:         c = c_start + tl.arange(0, 16)
// CHECK-NEXT:         c_in = c < 500
// CHECK-NEXT:         v3 = tl.load(x0 + c[None, :] * 300 + r[:, None], mask=r_in[:, None] & c_in[None, :], other=0.0)
// CHECK-NEXT:         v4 = (c[None, :]).to(tl.int64)
// CHECK-NEXT:         v5 = tl.where(c_in[None, :], v3, float("-inf"))
// CHECK-NEXT:         v6 = tl.where(c_in[None, :], tl.broadcast_to(v4, (64, 16)), 2147483647)
// CHECK-NEXT:         v1, v2 = first_greatest(v1, v2, v5, v6)
// CHECK-NEXT:     v7, v8 = tl.reduce((v1, v2), 1, first_greatest)
// CHECK-NEXT:     v9 = v7[:, None]
// CHECK-NEXT:     v10 = v8[:, None]
// CHECK-NEXT:     tl.store(t0 + s * 300 + r[:, None], v9, mask=r_in[:, None])
// CHECK-NEXT:     tl.store(t1 + s * 300 + r[:, None], v10, mask=r_in[:, None])
// CHECK:      # no line of the user
// CHECK-NEXT: # t0: f32[8, 300], t1: i64[8, 300] -> y0: f32[300], y1: i64[300]
// CHECK-NEXT: # blocks: 5, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def columns_1(t0, t1, y0, y1):
// CHECK-NEXT:     r = tl.program_id(0) * 64 + tl.arange(0, 64)
// CHECK-NEXT:     r_in = r < 300
// CHECK-NEXT:     c = tl.arange(0, 8)
// CHECK-NEXT:     v1 = tl.load(t0 + c[None, :] * 300 + r[:, None], mask=r_in[:, None], other=0.0)
// CHECK-NEXT:     v2 = tl.load(t1 + c[None, :] * 300 + r[:, None], mask=r_in[:, None], other=0)
// CHECK-NEXT:     v3, v4 = tl.reduce((v1, v2), 1, first_greatest)
// CHECK-NEXT:     v5 = v3[:, None]
// CHECK-NEXT:     v6 = v4[:, None]
// CHECK-NEXT:     tl.store(y0 + r[:, None], v5, mask=r_in[:, None])
// CHECK-NEXT:     tl.store(y1 + r[:, None], v6, mask=r_in[:, None])
