// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// A `while` whose test depends on the input stays a loop.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.while
// CHECK-COUNT-1: dycl.unary neg
// CHECK-NOT:     dycl.unary
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %y = dycl.while carry(%a = %x) {
    %c = dycl.to_bool %a
    dycl.condition %c, %a
  } do(%b) {
    %d = dycl.unary neg %b
    dycl.yield %d
  }
  dycl.return %y
}
