// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// A scope whose result is returned at once: leaving it is returning, flat.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.scope
// CHECK:         dycl.if %p {
// CHECK-NEXT:      dycl.return %x
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = dycl.unary neg %x
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.scope "f" -> (!dycl.value) {
    %p = dycl.to_bool %x
    dycl.if %p {
      dycl.leave "f" %x
    }
    %y = dycl.unary neg %x
    dycl.leave "f" %y
  }
  dycl.return %r
}
