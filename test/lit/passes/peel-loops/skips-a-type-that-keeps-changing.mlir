// RUN: dycl-opt --dycl-peel-loops --verify-diagnostics %s | filecheck %s
// REQUIRES: torch

// Each iteration adds a dimension: no number of peeled iterations would do.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.scope
func.func @forward(%x: !torch.vtensor<[4],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %y = dycl.unary neg %x : (!torch.vtensor<[4],f32>) -> !dycl.value
  %stack = dycl.constant #dycl.global<"torch.stack">
  // expected-remark@+1 {{what it carries has another type in every iteration}}
  %r = dycl.while carry(%a = %y) {
    dycl.condition %p, %a : (!torch.bool, !dycl.value) -> ()
  } do (%b) {
    %t = dycl.tuple(%b, %b)
    %c = dycl.call %stack(%t)
    dycl.yield %c
  }
  dycl.return %r
}
