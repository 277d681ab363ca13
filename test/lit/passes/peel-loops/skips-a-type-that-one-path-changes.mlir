// RUN: dycl-opt --dycl-peel-loops --verify-diagnostics %s | filecheck %s

// Any number of iterations may leave it None.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.scope
func.func @forward(%p: !torch.bool, %q: !torch.bool) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %one = dycl.constant 1 : i64
  // expected-remark@+1 {{what it carries has another type in every iteration}}
  %r = dycl.while carry(%a = %none) {
    dycl.condition %p, %a : (!torch.bool, !dycl.value) -> ()
  } do (%b) {
    %c = dycl.if %q : !torch.bool -> (!dycl.value) {
      dycl.yield %one
    } else {
      dycl.yield %b
    }
    dycl.yield %c
  }
  dycl.return %r
}
