// Products around a softmax, with a mask that fills: nobody else sees the scores.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-fuse-attention | filecheck %s

// CHECK-LABEL: func.func @filled
// CHECK: linalg.generic
// CHECK-SAME: dycl.attention = {empty_is_zero = false, fills = true, is_causal = false, scale = 2.500000e-01 : f64}
// CHECK: return
func.func @filled(%x: !torch.vtensor<[6,20,16],f32>, %m: !torch.vtensor<[20,20],i1>)
    -> !torch.vtensor<[6,20,16],f32> {
  %first = torch.constant.int 1
  %last = torch.constant.int 2
  %four = torch.constant.int 4
  %low = torch.constant.float -1.000000e+09
  %none = torch.constant.none
  %k = torch.aten.transpose.int %x, %first, %last : !torch.vtensor<[6,20,16],f32>,
      !torch.int, !torch.int -> !torch.vtensor<[6,16,20],f32>
  %s = torch.aten.bmm %x, %k : !torch.vtensor<[6,20,16],f32>,
      !torch.vtensor<[6,16,20],f32> -> !torch.vtensor<[6,20,20],f32>
  %t = torch.aten.div.Scalar %s, %four : !torch.vtensor<[6,20,20],f32>, !torch.int
      -> !torch.vtensor<[6,20,20],f32>
  %f = torch.aten.masked_fill.Scalar %t, %m, %low : !torch.vtensor<[6,20,20],f32>,
      !torch.vtensor<[20,20],i1>, !torch.float -> !torch.vtensor<[6,20,20],f32>
  %p = torch.aten.softmax.int %f, %last, %none : !torch.vtensor<[6,20,20],f32>,
      !torch.int, !torch.none -> !torch.vtensor<[6,20,20],f32>
  %o = torch.aten.bmm %p, %x : !torch.vtensor<[6,20,20],f32>,
      !torch.vtensor<[6,20,16],f32> -> !torch.vtensor<[6,20,16],f32>
  return %o : !torch.vtensor<[6,20,16],f32>
}
