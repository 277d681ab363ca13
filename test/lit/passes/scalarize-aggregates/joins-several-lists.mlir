// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// One branch changes two lists; the other one leaves, so its lists play no part.

// CHECK:      %u, %v = dycl.if %c -> (!dycl.value, !dycl.value) {
// CHECK-NEXT:   %n = dycl.unary neg %x
// CHECK:        dycl.yield %n, %n
// CHECK-NEXT: } else {
// CHECK-NEXT:   dycl.return %x
// CHECK-NEXT: }
// CHECK:      dycl.list(%u, %v)
func.func @forward(%x: !dycl.value, %c: !dycl.value) attributes {dycl.entry} {
  %i = dycl.constant 0 : i64
  %a = dycl.list(%x)
  %b = dycl.list(%x)
  dycl.if %c {
    %n = dycl.unary neg %x
    dycl.store_subscript %a[%i], %n
    dycl.store_subscript %b[%i], %n
    dycl.yield
  } else {
    dycl.return %x
  }
  %u = dycl.subscript %a[%i]
  %v = dycl.subscript %b[%i]
  %r = dycl.list(%u, %v)
  dycl.return %r
}
