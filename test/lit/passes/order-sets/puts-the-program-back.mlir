// RUN: dycl-opt -p normalise --verify-diagnostics %s

// What one item gives, the next one is multiplied with: rounding tells the order.

func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %s = dycl.constant #dycl.set<"set", [10 : i64, 20 : i64]>
  // expected-error@+1 {{the order of a set's items is not known}}
  %r = dycl.for %k in %s carry(%y = %x) {
    %z = dycl.binary mul %y, %k
    dycl.yield %z
  }
  dycl.return %r
}
