// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-expand-modules %s | filecheck %s

// A program that is expanded already stays as it is.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %y = torch.aten.relu %x
// CHECK-NEXT:    %p = dycl.item %y : (!torch.vtensor<[1],f32>) -> !torch.float
// CHECK-NEXT:    dycl.return %p {structure = #dycl.leaf<0>}
func.func @forward(%x: !torch.vtensor<[1],f32>) attributes {dycl.entry} {
  %y = torch.aten.relu %x : !torch.vtensor<[1],f32> -> !torch.vtensor<[1],f32>
  %p = dycl.item %y : (!torch.vtensor<[1],f32>) -> !torch.float
  dycl.return %p {structure = #dycl.leaf<0>} : (!torch.float) -> ()
}
