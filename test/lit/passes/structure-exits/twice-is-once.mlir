// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s
// RUN: dycl-opt --dycl-structure-exits %s > %t.once
// RUN: dycl-opt --dycl-structure-exits --dycl-structure-exits %s | diff %t.once -

// A second run finds nothing to do.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if
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
