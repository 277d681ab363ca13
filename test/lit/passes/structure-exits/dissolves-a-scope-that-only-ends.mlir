// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// A scope left at its end only is its body.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %y = dycl.unary neg %x
// CHECK-NEXT:    %z = dycl.unary pos %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.scope "f" -> (!dycl.value) {
    %y = dycl.unary neg %x
    dycl.leave "f" %y
  }
  %z = dycl.unary pos %r
  dycl.return %z
}
