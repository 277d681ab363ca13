// REQUIRES: torch
// RUN: dycl-opt --dycl-check-shapes --verify-diagnostics %s | filecheck %s

// How many elements are not zero depends on the elements.

// CHECK: torch.aten.nonzero
func.func @k(%x: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,2],si64> attributes {dycl.kernel} {
  // expected-remark @+1 {{not checked: DynamicOutputShapeException}}
  %y = torch.aten.nonzero %x : !torch.vtensor<[2,3],f32> -> !torch.vtensor<[2,2],si64>
  func.return %y : !torch.vtensor<[2,2],si64>
}
