// RUN: dycl-opt --dycl-structure-exits --verify-diagnostics %s | filecheck %s

// A loop that stays cannot hand its exits on.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.scope "f"
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  // expected-remark @+1 {{scope kept: it is left from inside a loop, or of a branch in a branch}}
  %r = dycl.scope "f" -> (!dycl.value) {
    dycl.for %i in %x {
      dycl.leave "f" %i
    }
    dycl.leave "f" %x
  }
  %z = dycl.unary pos %r
  dycl.return %z
}
