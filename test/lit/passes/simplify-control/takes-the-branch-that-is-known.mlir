// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// An `if` on a constant is the branch that it takes.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.if
// CHECK:         %a = dycl.unary neg %x
// CHECK-NEXT:    dycl.return %a
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %c = dycl.constant true
  %r = dycl.if %c -> (!dycl.value) {
    %a = dycl.unary neg %x
    dycl.yield %a
  } else {
    %b = dycl.unary pos %x
    dycl.yield %b
  }
  dycl.return %r
}
