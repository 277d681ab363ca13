// RUN: dycl-opt --dycl-peel-loops %s | filecheck %s

// An int stays an int.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.scope
// CHECK-COUNT-1: dycl.binary
// CHECK-NOT:     dycl.binary
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %r = dycl.while carry(%a = %zero) {
    dycl.condition %p, %a : (!torch.bool, !dycl.value) -> ()
  } do (%b) {
    %c = dycl.binary add %b, %one
    dycl.yield %c
  }
  dycl.return %r
}
