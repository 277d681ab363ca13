// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// A loop that stays cannot hand its exits on.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.scope "f"
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.scope "f" -> (!dycl.value) {
    dycl.for %i in %x {
      dycl.leave "f" %i
    }
    dycl.leave "f" %x
  }
  %z = dycl.unary pos %r
  dycl.return %z
}
