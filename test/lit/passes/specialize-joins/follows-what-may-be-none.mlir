// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// Each copy knows at once whether its value is None. Behind the tests it is None or a
// number again, and so on: one run goes through all steps, with two copies of each.

// CHECK-LABEL:     func.func @forward
// CHECK-NOT:         dycl.compare
// CHECK:             dycl.if %p : !torch.bool {
// CHECK:             dycl.if %q : !torch.bool {
// CHECK:             dycl.if %r : !torch.bool {
// CHECK:             %y = dycl.tuple(%none)
// CHECK-NEXT:        dycl.return %y
// CHECK:             dycl.leave "join_2" %h
// CHECK:             %y_1 = dycl.tuple(%i)
// CHECK-NEXT:        dycl.return %y_1
// CHECK-NOT:         dycl.if
func.func @forward(%p: !torch.bool, %q: !torch.bool, %r: !torch.bool) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %f = dycl.constant 2.5 : f64
  %g = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %none
  } else {
    dycl.yield %f
  }
  %t = dycl.compare is %g, %none : (!dycl.value, !dycl.value) -> !dycl.value
  %h = dycl.if %t -> (!dycl.value) {
    %a = dycl.if %q : !torch.bool -> (!dycl.value) {
      dycl.yield %f
    } else {
      dycl.yield %g
    }
    dycl.yield %a
  } else {
    dycl.yield %g
  }
  %u = dycl.compare is %h, %none : (!dycl.value, !dycl.value) -> !dycl.value
  %i = dycl.if %u -> (!dycl.value) {
    %b = dycl.if %r : !torch.bool -> (!dycl.value) {
      dycl.yield %f
    } else {
      dycl.yield %h
    }
    dycl.yield %b
  } else {
    dycl.yield %h
  }
  %y = dycl.tuple(%i)
  dycl.return %y
}
