// RUN: dycl-opt --dycl-forward-lists --dycl-scalarize-aggregates --dycl-split-tuples --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// The first item is the same on both paths.

// CHECK:      %r = dycl.scope "f" -> (!dycl.value) {
// CHECK-NEXT:   dycl.if %c {
// CHECK-NEXT:     dycl.leave "f" %x
// CHECK-NEXT:   }
// CHECK-NEXT:   %n = dycl.unary neg %x
// CHECK-NEXT:   dycl.leave "f" %n
// CHECK-NEXT: }
// CHECK-NEXT: %r_1 = dycl.list(%x, %r, %c)
// CHECK-NEXT: dycl.return %r_1
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
