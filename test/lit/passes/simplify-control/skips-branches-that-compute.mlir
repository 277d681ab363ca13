// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// Both sides of a select are computed: a branch with work in it stays.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %r = dycl.if %p -> (!dycl.value) {
    %n = dycl.unary neg %x
    dycl.yield %n
  } else {
    dycl.yield %x
  }
  dycl.return %r
}
