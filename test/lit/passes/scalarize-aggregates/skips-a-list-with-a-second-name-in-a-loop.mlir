// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// What is read through the second name sees each change: the list stays one.

// CHECK: dycl.while {
// CHECK:   dycl.store_subscript %l[%zero], %y
// CHECK: dycl.subscript %l[%zero]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %l = dycl.list(%x, %y)
  %held = dycl.list(%l)
  %g = dycl.call %y(%held)
  dycl.while {
    dycl.condition %x
  } do {
    dycl.store_subscript %l[%zero], %y
    dycl.yield
  }
  %c = dycl.subscript %l[%zero]
  dycl.return %c
}
