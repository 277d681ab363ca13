// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// A return that depends on such a value moves into both branches.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p : !torch.bool {
// CHECK-NEXT:      %y = dycl.tuple(%n)
// CHECK-NEXT:      dycl.return %y
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %y_1 = dycl.tuple(%f)
// CHECK-NEXT:      dycl.return %y_1
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.unreachable
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %n = dycl.constant 2 : i64
  %f = dycl.constant 2.5 : f64
  %h = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %n
  } else {
    dycl.yield %f
  }
  %y = dycl.tuple(%h)
  dycl.return %y
}
