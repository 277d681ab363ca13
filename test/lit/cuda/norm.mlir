// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// The mean, and the sum of squares around it, are folded over a row that is held.

func.func @main(%arg0: !torch.vtensor<[5,33],f32>, %arg1: !torch.vtensor<[33],f32>, %arg2: !torch.vtensor<[33],f32>) -> !torch.vtensor<[5,33],f32> {
  %int33 = torch.constant.int 33
  %0 = torch.prim.ListConstruct %int33 : (!torch.int) -> !torch.list<int>
  %float1.000000e-05 = torch.constant.float 1.000000e-05
  %true = torch.constant.bool true
  %1 = torch.aten.layer_norm %arg0, %0, %arg1, %arg2, %float1.000000e-05, %true : !torch.vtensor<[5,33],f32>, !torch.list<int>, !torch.vtensor<[33],f32>, !torch.vtensor<[33],f32>, !torch.float, !torch.bool -> !torch.vtensor<[5,33],f32>
  return %1 : !torch.vtensor<[5,33],f32>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[5, 33], x1: f32[33], x2: f32[33] -> y0: f32[5, 33]
// CHECK-NEXT: # blocks: 1, warps: 4
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, x2, y0):
// CHECK-NEXT:     r = tl.program_id(0) * 8 + tl.arange(0, 8)
// CHECK-NEXT:     r_in = r < 5
// CHECK-NEXT:     c = tl.arange(0, 64)
// CHECK-NEXT:     c_in = c < 33
// CHECK-NEXT:     v1 = tl.load(x2 + c[None, :], mask=c_in[None, :], other=0.0)
// CHECK-NEXT:     v2 = tl.load(x1 + c[None, :], mask=c_in[None, :], other=0.0)
// CHECK-NEXT:     v3 = tl.load(x0 + r[:, None] * 33 + c[None, :], mask=r_in[:, None] & c_in[None, :], other=0.0)
// CHECK-NEXT:     v4 = tl.reduce(v3, 1, add)
// CHECK-NEXT:     v5 = v4[:, None]
// CHECK-NEXT:     v6 = tl.div_rn(v5, 33.0)
// CHECK-NEXT:     v7 = v3 - v6
// CHECK-NEXT:     v8 = tl.where(c_in[None, :], v7, 0.0)
// CHECK-NEXT:     v9 = tl.reduce(v8, 1, add)
// CHECK-NEXT:     v10 = v9[:, None]
// CHECK-NEXT:     v11 = tl.div_rn(v10, 33.0)
// CHECK-NEXT:     v12 = v11 * v11
// CHECK-NEXT:     v13 = v7 * v7
// CHECK-NEXT:     v14 = tl.where(c_in[None, :], v13, 0.0)
// CHECK-NEXT:     v15 = tl.reduce(v14, 1, add)
// CHECK-NEXT:     v16 = v15[:, None]
// CHECK-NEXT:     v17 = tl.div_rn(v16, 33.0)
// CHECK-NEXT:     v18 = v17 - v12
// CHECK-NEXT:     v19 = v18 < 0.0
// CHECK-NEXT:     v20 = tl.where(v19, 0.0, v18)
// CHECK-NEXT:     v21 = v20 + 9.999999747378752e-06
// CHECK-NEXT:     v22 = tl.rsqrt(v21)
// CHECK-NEXT:     v23 = v22 * v2
// CHECK-NEXT:     v24 = v7 - v11
// CHECK-NEXT:     v25 = v24 * v23
// CHECK-NEXT:     v26 = v25 + v1
// CHECK-NEXT:     tl.store(y0 + r[:, None] * 33 + c[None, :], v26, mask=r_in[:, None] & c_in[None, :])
