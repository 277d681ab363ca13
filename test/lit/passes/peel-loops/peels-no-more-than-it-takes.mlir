// RUN: dycl-opt --dycl-peel-loops %s | filecheck %s
// RUN: dycl-opt -p 'dycl-peel-loops{max-peeled=1}' %s | filecheck %s --check-prefix=ONE

// None, then int, then float: two iterations in front. One alone would not help.

// CHECK-LABEL:   func.func @forward
// CHECK-COUNT-2: dycl.scope
// CHECK-NOT:     dycl.scope

// ONE-LABEL:     func.func @forward
// ONE-NOT:       dycl.scope
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %one = dycl.constant 1 : i64
  %half = dycl.constant 0.5 : f64
  %r, %s = dycl.while carry(%a = %none, %k = %one) {
    dycl.condition %p, %a, %k : (!torch.bool, !dycl.value, !dycl.value) -> ()
  } do (%b, %l) {
    dycl.yield %l, %half
  }
  %t = dycl.tuple(%r, %s)
  dycl.return %t
}
