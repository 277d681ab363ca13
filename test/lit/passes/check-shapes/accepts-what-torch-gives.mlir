// REQUIRES: torch
// RUN: dycl-opt --dycl-check-shapes %s | filecheck %s

// What fits is left as it is; sizes that a run decides are not asked for.

// CHECK-LABEL: func.func @k
func.func @k(%x: !torch.vtensor<[2,3],f32>, %w: !torch.vtensor<[3,4],f32>, %u: !torch.vtensor<[?,9],f32>) -> !torch.vtensor<[2,4],f32> attributes {dycl.kernel} {
  %y = torch.aten.mm %x, %w : !torch.vtensor<[2,3],f32>, !torch.vtensor<[3,4],f32> -> !torch.vtensor<[2,4],f32>
  %v = torch.aten.mm %u, %w : !torch.vtensor<[?,9],f32>, !torch.vtensor<[3,4],f32> -> !torch.vtensor<[?,4],f32>
  %int1 = torch.constant.int 1
  %sizes = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
  %false = torch.constant.bool false
  %none = torch.constant.none
  %m = torch.aten.mean.dim %y, %sizes, %false, %none : !torch.vtensor<[2,4],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2,4],f32>
}
