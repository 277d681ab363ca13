// REQUIRES: torch-mlir
// RUN: %python -m dycl.kernels.cuda.opt --torch %s | filecheck %s

// Integers and comparisons are computed in their own types.

func.func @main(%arg0: !torch.vtensor<[7],si64>) -> !torch.vtensor<[7],i1> {
  %int5 = torch.constant.int 5
  %int2 = torch.constant.int 2
  %int3 = torch.constant.int 3
  %int1 = torch.constant.int 1
  %0 = torch.aten.add.Scalar %arg0, %int3, %int1 : !torch.vtensor<[7],si64>, !torch.int, !torch.int -> !torch.vtensor<[7],si64>
  %1 = torch.aten.mul.Scalar %0, %int2 : !torch.vtensor<[7],si64>, !torch.int -> !torch.vtensor<[7],si64>
  %2 = torch.aten.gt.Scalar %1, %int5 : !torch.vtensor<[7],si64>, !torch.int -> !torch.vtensor<[7],i1>
  return %2 : !torch.vtensor<[7],i1>
}

// CHECK:      # no line of the user
// CHECK-NEXT: # x0: i64[7] -> y0: i1[7]
// CHECK-NEXT: # blocks: 1, warps: 1
// CHECK-NEXT: @triton.jit
// CHECK-NEXT: def main_0(x0, y0):
// CHECK-NEXT:     i = tl.program_id(0) * 32 + tl.arange(0, 32)
// CHECK-NEXT:     i_in = i < 7
// CHECK-NEXT:     v1 = tl.load(x0 + i, mask=i_in, other=0)
// CHECK-NEXT:     v2 = v1 + 3
// CHECK-NEXT:     v3 = v2 * 2
// CHECK-NEXT:     v4 = v3 > 5
// CHECK-NEXT:     tl.store(y0 + i, v4, mask=i_in)
