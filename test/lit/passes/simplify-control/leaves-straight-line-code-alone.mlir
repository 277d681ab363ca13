// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// Nothing to simplify.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %y = dycl.unary neg %x
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %y = dycl.unary neg %x
  dycl.return %y
}
