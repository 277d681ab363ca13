// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A list that this walk makes of another may be lost where the branch hands it on.

// CHECK:      %r = dycl.if %c -> (!dycl.value) {
// CHECK-NEXT:   %b = dycl.list(%x, %x)
// CHECK-NEXT:   %i = dycl.constant -1 : i64
// CHECK-NEXT:   dycl.store_subscript %b[%i], %c
// CHECK-NEXT:   dycl.yield %b
func.func @forward(%x: !dycl.value, %c: !dycl.value) attributes {dycl.entry} {
  %a = dycl.list(%x)
  %r = dycl.if %c -> (!dycl.value) {
    %b = dycl.binary add %a, %a
    %i = dycl.constant -1 : i64
    dycl.store_subscript %b[%i], %c
    dycl.yield %b
  } else {
    dycl.yield %a
  }
  dycl.return %r
}
