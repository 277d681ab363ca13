// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// Inside out: once the inner scope is an `if`, the outer one only ends.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.scope
// CHECK:         %r = dycl.if %p
// CHECK:         %n = dycl.unary neg %r
// CHECK-NEXT:    %z = dycl.unary pos %n
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %q = dycl.scope "g" -> (!dycl.value) {
    %r = dycl.scope "f" -> (!dycl.value) {
      %p = dycl.to_bool %x
      dycl.if %p {
        dycl.leave "f" %x
      }
      dycl.leave "f" %p
    }
    %n = dycl.unary neg %r
    dycl.leave "g" %n
  }
  %z = dycl.unary pos %q
  dycl.return %z
}
