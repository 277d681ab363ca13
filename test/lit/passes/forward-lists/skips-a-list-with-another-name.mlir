// RUN: dycl-opt --dycl-forward-lists --verify-diagnostics --dycl-eliminate-dead-code %s | filecheck %s

// Whoever reads %a after the `if` sees what is stored through %r.
// CHECK:      %a = dycl.list(%x, %c)
// CHECK-NEXT: %r = dycl.if %c -> (!dycl.value) {
// CHECK-NEXT:   dycl.yield %a
// CHECK:      dycl.store_subscript %r[%zero], %c
// CHECK:      %first = dycl.subscript %a[%zero]
func.func @forward(%x: !dycl.value, %c: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %a = dycl.list(%x, %c)
  // expected-remark @+1 {{a list was not forwarded as a tuple: it has another name}}
  %r = dycl.if %c -> (!dycl.value) {
    dycl.yield %a
  } else {
    %b = dycl.list(%c, %x)
    dycl.yield %b
  }
  dycl.store_subscript %r[%zero], %c
  %first = dycl.subscript %a[%zero]
  dycl.return %r, %first
}
