// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// A branch that only chooses is a select, with the user's test on it.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.if
// CHECK:         %r = dycl.select %p, %one, %x {test = "x"}
// CHECK-NEXT:    dycl.return %r
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %r = dycl.if %p -> (!dycl.value) {
    %one = dycl.constant 1 : i64
    dycl.yield %one
  } else {
    dycl.yield %x
  } {test = "x"}
  dycl.return %r
}
