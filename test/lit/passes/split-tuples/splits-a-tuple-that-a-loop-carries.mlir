// RUN: dycl-opt --dycl-split-tuples --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// CHECK:      %{{.*}}, %z = dycl.while carry(%s = %x, %s_1 = %y) {
// CHECK-NEXT:   dycl.condition %x, %s, %s_1
// CHECK-NEXT: } do(%t, %t_1) {
// CHECK-NEXT:   %n = dycl.unary neg %t
// CHECK-NEXT:   dycl.if %n {
// CHECK-NEXT:     dycl.continue %t, %t_1
// CHECK-NEXT:   }
// CHECK-NEXT:   dycl.yield %t_1, %n
// CHECK-NEXT: }
// CHECK-NEXT: dycl.return %z
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %first = dycl.tuple(%x, %y)
  %r = dycl.while carry(%s = %first) {
    dycl.condition %x, %s
  } do(%t) {
    %a = dycl.subscript %t[%zero]
    %b = dycl.subscript %t[%one]
    %n = dycl.unary neg %a
    dycl.if %n {
      dycl.continue %t
    }
    %u = dycl.tuple(%b, %n)
    dycl.yield %u
  }
  %z = dycl.subscript %r[%one]
  dycl.return %z
}
