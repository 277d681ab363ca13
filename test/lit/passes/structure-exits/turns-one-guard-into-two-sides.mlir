// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// A scope with a single guard is an `if` whose other side is the rest.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.scope
// CHECK:         %r = dycl.if %p -> (!dycl.value) {
// CHECK-NEXT:      dycl.yield %x
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %y = dycl.unary neg %x
// CHECK-NEXT:      dycl.yield %y
// CHECK-NEXT:    }
// CHECK-NEXT:    %z = dycl.unary pos %r
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.scope "f" -> (!dycl.value) {
    %p = dycl.to_bool %x
    dycl.if %p {
      dycl.leave "f" %x
    }
    %y = dycl.unary neg %x
    dycl.leave "f" %y
  }
  %z = dycl.unary pos %r
  dycl.return %z
}
