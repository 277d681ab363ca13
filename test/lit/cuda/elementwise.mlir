// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// A chain is one function; what is broadcast is read where it stands.

func.func @main(%arg0: !torch.vtensor<[4,8],f32>, %arg1: !torch.vtensor<[8],f32>) -> !torch.vtensor<[4,8],f32> {
  %int0 = torch.constant.int 0
  %0 = torch.aten.gt.Scalar %arg0, %int0 : !torch.vtensor<[4,8],f32>, !torch.int -> !torch.vtensor<[4,8],i1>
  %1 = torch.aten.mul.Tensor %arg0, %arg1 : !torch.vtensor<[4,8],f32>, !torch.vtensor<[8],f32> -> !torch.vtensor<[4,8],f32>
  %2 = torch.aten.exp %arg0 : !torch.vtensor<[4,8],f32> -> !torch.vtensor<[4,8],f32>
  %3 = torch.aten.where.self %0, %1, %2 : !torch.vtensor<[4,8],i1>, !torch.vtensor<[4,8],f32>, !torch.vtensor<[4,8],f32> -> !torch.vtensor<[4,8],f32>
  return %3 : !torch.vtensor<[4,8],f32>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: f32[4, 8], x1: f32[8] -> y0: f32[4, 8]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, x1, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i1 = i % 8
// CHECK-NEXT:     v1 = tl.load(x1 + i1)
// CHECK-NEXT:     v2 = tl.load(x0 + i)
// CHECK-NEXT:     v3 = v2 * v1
// CHECK-NEXT:     v4 = libdevice.exp(v2)
// CHECK-NEXT:     v5 = v2 > 0.0
// CHECK-NEXT:     v6 = tl.where(v5, v3, v4)
// CHECK-NEXT:     tl.store(y0 + i, v6)
