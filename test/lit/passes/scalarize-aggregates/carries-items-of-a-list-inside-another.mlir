// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// CHECK:      %a = dycl.while carry(%a_1 = %x) {
// CHECK-NEXT:   dycl.condition %c, %a_1
// CHECK-NEXT: } do(%a_2) {
// CHECK-NEXT:   %y = dycl.binary add %a_2, %one
// CHECK-NEXT:   dycl.yield %y
// CHECK-NEXT: }
// CHECK-NEXT: dycl.return %a
func.func @forward(%x: !dycl.value, %c: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %a = dycl.list(%x, %x)
  %rows = dycl.list(%a)
  dycl.while {
    dycl.condition %c
  } do {
    %row = dycl.subscript %rows[%zero]
    %v = dycl.subscript %row[%one]
    %y = dycl.binary add %v, %one
    %to = dycl.subscript %rows[%zero]
    dycl.store_subscript %to[%one], %y
    dycl.yield
  }
  %last = dycl.subscript %rows[%zero]
  %z = dycl.subscript %last[%one]
  dycl.return %z
}
