// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// Two inlined bodies with early returns have two labels, also when one stands in the
// other.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.scope "f"
// CHECK:         dycl.scope "g"
// CHECK:         dycl.leave "g"
// CHECK:         dycl.leave "f"
// CHECK:         dycl.scope "f_1"
// CHECK:         dycl.scope "g_1"
// CHECK:         dycl.leave "g_1"
// CHECK:         dycl.leave "f_1"
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x)
  %z = dycl.call %f(%y)
  %t = dycl.tuple(%z)
  dycl.return %t
}
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  %g = dycl.constant #dycl.function<@g>
  %c = dycl.call %g(%x)
  %p = dycl.to_bool %c
  dycl.if %p {
    dycl.return %x
  }
  dycl.return %c
}
func.func @g(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  %c = dycl.to_bool %x
  dycl.if %c {
    dycl.return %x
  }
  dycl.return %c
}
