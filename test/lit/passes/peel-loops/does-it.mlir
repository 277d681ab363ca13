// RUN: dycl-opt --dycl-peel-loops %s | filecheck %s

// The int is a float after one iteration: that one stands in front, behind a guard.

// CHECK-LABEL: func.func @forward
// CHECK:         %{{.*}} = dycl.scope "loop"
// CHECK-NEXT:      dycl.if %p : !torch.bool {
// CHECK-NEXT:      } else {
// CHECK-NEXT:        dycl.leave "loop" %zero
// CHECK-NEXT:      } {test = "p"}
// CHECK-NEXT:      %[[A:.*]] = dycl.binary add %zero, %half
// CHECK-NEXT:      %{{.*}} = dycl.while carry(%{{.*}} = %[[A]])
// CHECK:           dycl.leave "loop"
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %half = dycl.constant 0.5 : f64
  %r = dycl.while carry(%a = %zero) {
    dycl.condition %p, %a : (!torch.bool, !dycl.value) -> ()
  } do (%b) {
    %c = dycl.binary add %b, %half : (!dycl.value, !dycl.value) -> !dycl.value
    dycl.yield %c
  } {test = "p"}
  dycl.return %r
}
