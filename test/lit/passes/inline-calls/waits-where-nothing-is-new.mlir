// RUN: dycl-opt --dycl-inline-calls --dycl-inline-calls --dycl-inline-calls %s | filecheck %s

// A call that is given what the calls around it were given waits; one that is given
// another constant does not.

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-1: dycl.unary neg
// CHECK-NOT:     dycl.unary neg
// CHECK:         dycl.call %{{.*}} {dycl.recursion = ["!dycl.value"]}
// CHECK-COUNT-2: dycl.unary not
// CHECK-NOT:     dycl.unary not
// CHECK:         dycl.call %{{.*}} {dycl.recursion = ["1 : i64; !dycl.value", "2 : i64; !dycl.value"]}
// CHECK-LABEL: func.func @f
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x)
  %g = dycl.constant #dycl.function<@g>
  %one = dycl.constant 1 : i64
  %z = dycl.call %g(%one, %y)
  dycl.return %z
}
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.unary neg %x
  %z = dycl.call %f(%y)
  dycl.return %z
}
func.func @g(%n: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["n", "x"]} {
  %g = dycl.constant #dycl.function<@g>
  %two = dycl.constant 2 : i64
  %y = dycl.unary not %x
  %z = dycl.call %g(%two, %y)
  dycl.return %z
}
