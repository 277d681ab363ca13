// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// A scope that only feeds the end of another one leaves that.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.leave "f"
// CHECK:         dycl.scope "g"
// CHECK-NOT:     dycl.scope
// CHECK-COUNT-3: dycl.leave "g"
// CHECK-NOT:     dycl.leave
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %q = dycl.scope "g" -> (!dycl.value) {
    %r = dycl.scope "f" -> (!dycl.value) {
      %p = dycl.to_bool %x
      dycl.if %p {
        dycl.leave "f" %x
      }
      dycl.if %p {
        dycl.leave "g" %p
      }
      dycl.leave "f" %p
    }
    dycl.leave "g" %r
  }
  %z = dycl.unary pos %q
  dycl.return %z
}
