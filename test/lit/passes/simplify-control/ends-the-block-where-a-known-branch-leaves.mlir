// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// What follows a guard that is always taken is not reached.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.unary
// CHECK-COUNT-1: dycl.return %x
// CHECK-NOT:     dycl.return
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %c = dycl.constant true
  dycl.if %c {
    dycl.return %x
  }
  %y = dycl.unary neg %x
  dycl.return %y
}
