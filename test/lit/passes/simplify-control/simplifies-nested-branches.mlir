// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// A known `if` in a branch, and in what that leaves.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p
// CHECK-NEXT:      %n = dycl.unary neg %x
// CHECK-NEXT:      dycl.yield %n
// CHECK-NEXT:    } else {
// CHECK-NEXT:      dycl.yield %x
// CHECK-NEXT:    }
// CHECK-NOT:     dycl.if
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %c = dycl.constant true
  %d = dycl.constant false
  %r = dycl.if %p -> (!dycl.value) {
    %s = dycl.if %c -> (!dycl.value) {
      %t = dycl.if %d -> (!dycl.value) {
        dycl.yield %p
      } else {
        %n = dycl.unary neg %x
        dycl.yield %n
      }
      dycl.yield %t
    } else {
      dycl.yield %p
    }
    dycl.yield %s
  } else {
    dycl.yield %x
  }
  dycl.return %r
}
