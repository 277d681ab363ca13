// RUN: dycl-opt --dycl-structure-exits %s | filecheck %s

// What follows an `if` whose sides both leave is not reached, nor what is inside.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.unary
// CHECK:         dycl.unreachable
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  dycl.if %p {
    dycl.return %p
  } else {
    dycl.return %x
  }
  %z = dycl.unary pos %x
  dycl.while {
    dycl.if %p {
      dycl.return %p
    } else {
      dycl.return %z
    }
    dycl.condition %p
  } do {
    dycl.yield
  }
  dycl.return %z
}
