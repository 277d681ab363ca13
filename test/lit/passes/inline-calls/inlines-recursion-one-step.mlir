// RUN: dycl-opt --dycl-inline-calls --verify-diagnostics %s | filecheck %s

// A call inside its own body waits for the next run, so that the test that ends the
// recursion can fold.

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-1: dycl.unary neg
// CHECK-NOT:     dycl.unary neg
// CHECK:         dycl.call
// CHECK-LABEL: func.func @f
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x)
  dycl.return %y
}
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.unary neg %x
  // expected-remark @+1 {{not inlined: it is in the body of its own function: a later run may know more of it}}
  %z = dycl.call %f(%y)
  dycl.return %z
}
