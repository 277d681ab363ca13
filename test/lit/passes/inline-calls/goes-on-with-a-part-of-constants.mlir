// RUN: dycl-opt --dycl-inline-calls --dycl-inline-calls %s | filecheck %s

// A slice of a constant list is as good as known, although the call might change it: each
// body is given another one. Of a list that nobody knows, a slice says nothing.

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-2: dycl.unary neg
// CHECK:         dycl.call %{{.*}} {dycl.recursion = [{{.*}}dycl.subscript([1 : i64, 2 : i64], dycl.slice(
// CHECK-COUNT-1: dycl.unary not
// CHECK-NOT:     dycl.unary not
// CHECK:         dycl.call %{{.*}} {dycl.recursion = ["!dycl.value"]}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %l = dycl.constant [1, 2, 3]
  %y = dycl.call %f(%l)
  %g = dycl.constant #dycl.function<@g>
  %z = dycl.call %g(%x)
  %r = dycl.tuple(%y, %z)
  dycl.return %r
}
func.func @f(%l: !dycl.value) -> !dycl.value attributes {dycl.params = ["l"]} {
  %f = dycl.constant #dycl.function<@f>
  %n = dycl.unary neg %l
  %known = dycl.constant [1, 2]
  %one = dycl.constant 1 : i64
  %none = dycl.constant #dycl.none
  %s = dycl.slice(%one, %none, %none)
  %m = dycl.subscript %known[%s]
  %z = dycl.call %f(%m)
  dycl.return %z
}
func.func @g(%l: !dycl.value) -> !dycl.value attributes {dycl.params = ["l"]} {
  %g = dycl.constant #dycl.function<@g>
  %n = dycl.unary not %l
  %one = dycl.constant 1 : i64
  %none = dycl.constant #dycl.none
  %s = dycl.slice(%one, %none, %none)
  %m = dycl.subscript %l[%s]
  %z = dycl.call %g(%m)
  dycl.return %z
}
