// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// Each is handed on only as the other: both go. One that is read keeps the other too.

// CHECK:      %r = dycl.for %i in %x carry(%s = %x) {
// CHECK-NEXT:   %n = dycl.binary add %s, %i
// CHECK-NEXT:   dycl.yield %n
// CHECK-NEXT: }
// CHECK-NEXT: %q, %p = dycl.for
// CHECK:      dycl.return
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %a, %b, %r = dycl.for %i in %x carry(%u = %x, %v = %y, %s = %x) {
    %n = dycl.binary add %s, %i
    dycl.yield %v, %u, %n
  }
  %q, %p = dycl.for %j in %x carry(%c = %x, %d = %y) {
    dycl.yield %d, %c
  }
  %t = dycl.tuple(%r, %q)
  dycl.return %t
}
