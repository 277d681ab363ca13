// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// A result that is one value from both sides is that value; the branch that computes
// stays.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p
// CHECK:         dycl.tuple(%x, %b)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %a, %b = dycl.if %p -> (!dycl.value, !dycl.value) {
    %n = dycl.unary neg %x
    dycl.yield %x, %n
  } else {
    dycl.yield %x, %x
  }
  %r = dycl.tuple(%a, %b)
  dycl.return %r
}
