// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// The loop sets one of two items: that one is carried.

// CHECK:      %r, %l = dycl.while carry(%s = %x, %l_1 = %x) {
// CHECK-NEXT:   dycl.condition %s, %s, %l_1
// CHECK-NEXT: } do(%t, %l_2) {
// CHECK:        %n = dycl.binary add %l_2, %y
// CHECK:        dycl.yield %n, %n
// CHECK:      dycl.tuple(%l, %y)
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %l = dycl.list(%x, %y)
  %r = dycl.while carry(%s = %x) {
    dycl.condition %s, %s
  } do(%t) {
    %a = dycl.subscript %l[%zero]
    %b = dycl.subscript %l[%one]
    %n = dycl.binary add %a, %b
    dycl.store_subscript %l[%zero], %n
    dycl.yield %n
  }
  %c = dycl.subscript %l[%zero]
  %d = dycl.subscript %l[%one]
  %e = dycl.tuple(%c, %d)
  dycl.return %e
}
