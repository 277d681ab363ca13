// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A product of one row is no matrix product: each block sums a few columns.

func.func @main(%arg0: !torch.vtensor<[1,37],f32>, %arg1: !torch.vtensor<[21,37],f32>, %arg2: !torch.vtensor<[21],f32>) -> !torch.vtensor<[1,21],f32> {
  %0 = torch.aten.linear %arg0, %arg1, %arg2 : !torch.vtensor<[1,37],f32>, !torch.vtensor<[21,37],f32>, !torch.vtensor<[21],f32> -> !torch.vtensor<[1,21],f32>
  %1 = torch.aten.relu %0 : !torch.vtensor<[1,21],f32> -> !torch.vtensor<[1,21],f32>
  return %1 : !torch.vtensor<[1,21],f32>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[1, 37], x1: f32[21, 37], x2: f32[21] -> y0: f32[1, 21]
// CHECK-NEXT: # blocks: 3, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, x2, y0):
// CHECK-NEXT:     r = tl.program_id(0) * 8 + tl.arange(0, 8)
// CHECK-NEXT:     r_in = r < 21
// CHECK-NEXT:     c = tl.arange(0, 64)
// CHECK-NEXT:     c_in = c < 37
// CHECK-NEXT:     v1 = tl.load(x2 + r[:, None], mask=r_in[:, None], other=0.0)
// CHECK-NEXT:     v2 = tl.load(x1 + r[:, None] * 37 + c[None, :], mask=r_in[:, None] & c_in[None, :], other=0.0)
// CHECK-NEXT:     v3 = tl.load(x0 + c[None, :], mask=c_in[None, :], other=0.0)
// CHECK-NEXT:     v4 = v3 * v2
// CHECK-NEXT:     v5 = tl.where(c_in[None, :], v4, 0.0)
// CHECK-NEXT:     v6 = tl.reduce(v5, 1, add)
// CHECK-NEXT:     v7 = v6[:, None]
// CHECK-NEXT:     v8 = v7 + v1
// CHECK-NEXT:     v9 = v8 < 0.0
// CHECK-NEXT:     v10 = tl.where(v9, 0.0, v8)
// CHECK-NEXT:     tl.store(y0 + r[:, None], v10, mask=r_in[:, None])
