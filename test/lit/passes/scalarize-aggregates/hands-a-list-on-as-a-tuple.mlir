// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// CHECK:      %r, %r_1 = dycl.scope "f" -> (!dycl.value, !dycl.value) {
// CHECK-NEXT:   dycl.if %c {
// CHECK-NEXT:     dycl.leave "f" %x, %x
// CHECK-NEXT:   }
// CHECK-NEXT:   %n = dycl.unary neg %x
// CHECK-NEXT:   dycl.leave "f" %x, %n
// CHECK-NEXT: }
// CHECK-NEXT: %r_2 = dycl.list(%r, %r_1, %c)
// CHECK-NEXT: dycl.return %r_2
func.func @forward(%x: !dycl.value, %c: !dycl.value) attributes {dycl.entry} {
  %r = dycl.scope "f" -> (!dycl.value) {
    %a = dycl.list(%x)
    dycl.if %c {
      %d = dycl.invoke %a "append"(%x)
      dycl.leave "f" %a
    }
    %n = dycl.unary neg %x
    %b = dycl.list(%x, %n)
    dycl.leave "f" %b
  }
  %e = dycl.invoke %r "append"(%c)
  dycl.return %r
}
