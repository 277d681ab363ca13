// What the loop carries is kept in a dict, and a `break` leaves the function.
// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %gen = dycl.constant #dycl.function<@gen>
  %g = dycl.call %gen(%x)
  %r = dycl.for %i in %g carry(%a = %x) {
    %b = dycl.binary add %a, %i
    %t = dycl.to_bool %b
    dycl.if %t {
      dycl.break %b
    }
    dycl.yield %b
  }
  dycl.return %r
}
func.func @gen(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"], dycl.generator} {
  dycl.yield_value %a
  %none = dycl.constant #dycl.none
  dycl.return %none
}

// CHECK:      %r = dycl.scope "gen" -> (!dycl.value) {
// CHECK-NEXT:   %0 = dycl.constant 0 : i64
// CHECK-NEXT:   %1 = dycl.dict(%0, %x)
// CHECK-NEXT:   %2 = dycl.constant 0 : i64
// CHECK-NEXT:   %3 = dycl.subscript %1[%2]
// CHECK-NEXT:   %b = dycl.binary add %3, %x
// CHECK-NEXT:   %t = dycl.to_bool %b
// CHECK-NEXT:   dycl.if %t {
// CHECK-NEXT:     dycl.leave "gen" %b
// CHECK-NEXT:   }
// CHECK-NEXT:   %4 = dycl.constant 0 : i64
// CHECK-NEXT:   dycl.store_subscript %1[%4], %b
// CHECK:        %[[V:[0-9a-z_]+]] = dycl.subscript %1[%{{[0-9a-z_]+}}]
// CHECK-NEXT:   dycl.leave "gen" %[[V]]
// CHECK-NEXT: }
// CHECK-NEXT: dycl.return %r
