// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// CHECK-NOT:  store_subscript
// CHECK:      %[[NOW:.+]] = dycl.list(%c, %x)
// CHECK-NEXT: %first = dycl.subscript %[[NOW]][%i]
func.func @forward(%x: !dycl.value, %c: !dycl.value, %i: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %a = dycl.list(%x, %x)
  dycl.store_subscript %a[%zero], %c
  %first = dycl.subscript %a[%i]
  dycl.return %first
}
