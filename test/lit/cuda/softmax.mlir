// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A row is read once, and held while it is folded.

func.func @main(%arg0: !torch.vtensor<[6,10],f32>) -> !torch.vtensor<[6,10],f32> {
  %none = torch.constant.none
  %float1.000000e00 = torch.constant.float 1.000000e+00
  %int-1 = torch.constant.int -1
  %true = torch.constant.bool true
  %values, %indices = torch.aten.max.dim %arg0, %int-1, %true : !torch.vtensor<[6,10],f32>, !torch.int, !torch.bool -> !torch.vtensor<[6,1],f32>, !torch.vtensor<[6,1],si64>
  %0 = torch.aten.sub.Tensor %arg0, %values, %float1.000000e00 : !torch.vtensor<[6,10],f32>, !torch.vtensor<[6,1],f32>, !torch.float -> !torch.vtensor<[6,10],f32>
  %1 = torch.aten.exp %0 : !torch.vtensor<[6,10],f32> -> !torch.vtensor<[6,10],f32>
  %2 = torch.prim.ListConstruct %int-1 : (!torch.int) -> !torch.list<int>
  %3 = torch.aten.sum.dim_IntList %1, %2, %true, %none : !torch.vtensor<[6,10],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[6,1],f32>
  %4 = torch.aten.div.Tensor %1, %3 : !torch.vtensor<[6,10],f32>, !torch.vtensor<[6,1],f32> -> !torch.vtensor<[6,10],f32>
  return %4 : !torch.vtensor<[6,10],f32>
}

// CHECK:      @triton.jit
// CHECK-NEXT: def add(a, b):
// CHECK-NEXT:     return a + b
// CHECK:      @triton.jit
// CHECK-NEXT: def maximum(a, b):
// CHECK-NEXT:     return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)
// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[6, 10] -> y0: f32[6, 10]
// CHECK-NEXT: # blocks: 1, warps: 2
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y0):
// CHECK-NEXT:     r = tl.program_id(0) * 8 + tl.arange(0, 8)
// CHECK-NEXT:     r_in = r < 6
// CHECK-NEXT:     c = tl.arange(0, 16)
// CHECK-NEXT:     c_in = c < 10
// CHECK-NEXT:     v1 = tl.load(x0 + r[:, None] * 10 + c[None, :], mask=r_in[:, None] & c_in[None, :], other=0.0)
// CHECK-NEXT:     v2 = tl.where(c_in[None, :], v1, float("-inf"))
// CHECK-NEXT:     v3 = tl.reduce(v2, 1, maximum)
// CHECK-NEXT:     v4 = v3[:, None]
// CHECK-NEXT:     v5 = v1 - v4
// CHECK-NEXT:     v6 = libdevice.exp(v5)
// CHECK-NEXT:     v7 = tl.where(c_in[None, :], v6, 0.0)
// CHECK-NEXT:     v8 = tl.reduce(v7, 1, add)
// CHECK-NEXT:     v9 = v8[:, None]
// CHECK-NEXT:     v10 = tl.div_rn(v6, v9)
// CHECK-NEXT:     tl.store(y0 + r[:, None] * 10 + c[None, :], v10, mask=r_in[:, None] & c_in[None, :])
