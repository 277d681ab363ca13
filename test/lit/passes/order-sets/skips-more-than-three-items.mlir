// RUN: dycl-opt --dycl-order-sets --verify-diagnostics %s | filecheck %s

// Four items have 24 orders.

// CHECK-NOT: dycl.tuple
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %s = dycl.constant #dycl.set<"set", [10 : i64, 20 : i64, 30 : i64, 40 : i64]>
  // expected-remark @+1 {{no order chosen: a set of 4 items has too many}}
  %r = dycl.for %k in %s carry(%y = %x) {
    %z = dycl.binary mul %y, %k
    dycl.yield %z
  }
  dycl.return %r
}
