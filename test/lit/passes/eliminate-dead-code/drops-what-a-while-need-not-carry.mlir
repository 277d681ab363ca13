// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// %d is handed on unread. %k is a result that the `break` gives: nothing is
// carried up to there. Behind a loop without an end nothing is reached.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[NONE:.*]] = dycl.unbound "k"
// CHECK-NEXT:    %y, %k = dycl.while carry(%a = %x, %b = %[[NONE]]) {
// CHECK-NEXT:      dycl.condition %true, %a, %b
// CHECK-NEXT:    } do(%e, %f) {
// CHECK-NEXT:      dycl.if %e {
// CHECK-NEXT:        dycl.break %e, %x
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[AGAIN:.*]] = dycl.unbound "k"
// CHECK-NEXT:      dycl.yield %e, %[[AGAIN]]
// CHECK-NEXT:    }
// CHECK:         dycl.while {
// CHECK:         dycl.unreachable
// CHECK-NOT:     dycl.return
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %true = dycl.constant true
  %zero = dycl.constant 0 : i64
  %y, %k, %m = dycl.while carry(%a = %x, %b = %zero, %d = %zero) {
    dycl.condition %true, %a, %b, %d
  } do(%e, %f, %g) {
    dycl.if %e {
      dycl.break %e, %x, %g
    }
    %h = dycl.binary add %g, %e
    dycl.yield %e, %h, %g
  }
  dycl.setattr %y "seen", %k
  dycl.while {
    dycl.condition %true
  } do {
    dycl.setattr %y "seen", %y
  }
  dycl.return %k
}
