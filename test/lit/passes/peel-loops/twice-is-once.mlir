// RUN: dycl-opt --dycl-peel-loops %s | filecheck %s
// RUN: dycl-opt --dycl-peel-loops %s > %t.once
// RUN: dycl-opt --dycl-peel-loops --dycl-peel-loops %s | diff %t.once -

// A second run finds nothing to do.

// CHECK-COUNT-1: dycl.while
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %half = dycl.constant 0.5 : f64
  %r = dycl.while carry(%a = %zero) {
    dycl.condition %p, %a : (!torch.bool, !dycl.value) -> ()
  } do (%b) {
    dycl.yield %half
  }
  dycl.return %r
}
