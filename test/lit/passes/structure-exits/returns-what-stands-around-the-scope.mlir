// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// What is returned next may also be values from before the scope.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.scope
// CHECK:         dycl.if %p {
// CHECK-NEXT:      dycl.return %x, %p
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.return %x, %x
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.scope "loop_1" -> (!dycl.value) {
    %p = dycl.to_bool %x
    dycl.if %p {
      dycl.leave "loop_1" %p
    }
    dycl.leave "loop_1" %x
  }
  dycl.return %x, %r
}
