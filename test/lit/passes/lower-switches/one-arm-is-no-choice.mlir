// RUN: dycl-opt --dycl-lower-switches %s | filecheck %s

// CHECK:         dycl.unary neg %x
// CHECK-NEXT:    dycl.return
// CHECK-NOT:     dycl.if
func.func @forward(%k: !dycl.value, %x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.switch %k -> (!dycl.value) default {
    %y = dycl.unary neg %x
    dycl.yield %y
  }
  dycl.return %r
}
