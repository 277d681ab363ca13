// RUN: dycl-opt --dycl-structure-exits --verify-diagnostics %s | filecheck %s

// Two guards in the middle of other code keep their scope: no copy of what follows.

// CHECK-LABEL: func.func @forward
// CHECK:         %r = dycl.scope "f"
// CHECK-COUNT-3: dycl.leave "f"
// CHECK:         dycl.unary pos %r
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  // expected-remark @+1 {{scope kept: it is left at 3 places}}
  %r = dycl.scope "f" -> (!dycl.value) {
    %p = dycl.to_bool %x
    dycl.if %p {
      dycl.leave "f" %x
    }
    %y = dycl.unary neg %x
    %q = dycl.to_bool %y
    dycl.if %q {
      dycl.leave "f" %y
    }
    dycl.leave "f" %p
  }
  %z = dycl.unary pos %r
  dycl.return %z
}
