// RUN: dycl-opt --dycl-peel-loops %s | filecheck %s
// REQUIRES: torch

// In the first iteration `%a` is None, behind it never again. That one in front is
// enough is seen without folding the test, which stays as it is.

// CHECK-LABEL:   func.func @forward
// CHECK-COUNT-1: dycl.scope
// CHECK-NOT:     dycl.scope
// CHECK-COUNT-2: dycl.compare is
// CHECK-NOT:     dycl.compare
func.func @forward(%x: !torch.vtensor<[4],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %r = dycl.while carry(%a = %none) {
    dycl.condition %p, %a : (!torch.bool, !dycl.value) -> ()
  } do (%b) {
    %q = dycl.compare is %b, %none
    %h = dycl.if %q -> (!dycl.value) {
      dycl.yield %x : (!torch.vtensor<[4],f32>) -> ()
    } else {
      %c = dycl.binary add %b, %x : (!dycl.value, !torch.vtensor<[4],f32>) -> !dycl.value
      dycl.yield %c
    }
    dycl.yield %h
  }
  dycl.return %r
}
