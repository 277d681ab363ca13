// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// A leave means the nearest scope of its label.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %n = dycl.unary neg %x
// CHECK-NEXT:    %z = dycl.unary pos %n
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %q = dycl.scope "f" -> (!dycl.value) {
    %r = dycl.scope "f" -> (!dycl.value) {
      dycl.leave "f" %x
    }
    %n = dycl.unary neg %r
    dycl.leave "f" %n
  }
  %z = dycl.unary pos %q
  dycl.return %z
}
