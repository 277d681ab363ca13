// RUN: dycl-opt --dycl-split-tuples --dycl-eliminate-dead-code %s | filecheck %s
// RUN: dycl-opt --dycl-split-tuples --dycl-split-tuples --dycl-eliminate-dead-code %s | filecheck %s

// The inner scope first, so that the outer one has a tuple to split; an item that is
// the same on all paths is not forwarded.

// CHECK:      %u = dycl.scope "g" -> (!dycl.value) {
// CHECK-NEXT:   %t = dycl.scope "f" -> (!dycl.value) {
// CHECK-NEXT:     dycl.if %p {
// CHECK-NEXT:       dycl.leave "f" %x
// CHECK-NEXT:     }
// CHECK-NEXT:     %n = dycl.unary neg %x
// CHECK-NEXT:     dycl.leave "f" %n
// CHECK-NEXT:   }
// CHECK-NEXT:   dycl.leave "g" %t
// CHECK-NEXT: }
// CHECK-NEXT: %u_1 = dycl.tuple(%x, %u)
// CHECK-NEXT: dycl.return %u_1
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %u = dycl.scope "g" -> (!dycl.value) {
    %t = dycl.scope "f" -> (!dycl.value) {
      dycl.if %p {
        %a = dycl.tuple(%x, %x)
        dycl.leave "f" %a
      }
      %n = dycl.unary neg %x
      %b = dycl.tuple(%x, %n)
      dycl.leave "f" %b
    }
    dycl.leave "g" %t
  }
  dycl.return %u
}
