// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// Nothing leaves the scope, so what follows is not reached.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.return %x
// CHECK-NEXT:  }
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.scope "f" -> (!dycl.value) {
    dycl.return %x
  }
  %z = dycl.unary pos %r
  dycl.return %z
}
