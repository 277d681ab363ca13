// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-expand-modules %s | filecheck %s

// CHECK:      dycl.while carry(%a : !torch.vtensor<[2],f32> = %x : !torch.vtensor<[2],f32>) {
// CHECK:        %s = torch.aten.sum %a
// CHECK:        %c = dycl.item
// CHECK:        dycl.condition %c, %a
// CHECK-NEXT: } do(%b) {
// CHECK:        torch.aten.relu %b
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.while carry(%a = %x : !torch.vtensor<[2],f32>) {
    %s = dycl.invoke %a "sum"()
    %c = dycl.to_bool %s
    dycl.condition %c, %a
  } do(%b) {
    %r = dycl.invoke %b "relu"()
    dycl.yield %r
  }
  dycl.return %y
}
