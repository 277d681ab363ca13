// RUN: dycl-opt -p dycl-order-sets,dycl-unroll-loops,dycl-check-normal --verify-diagnostics %s

// Moved out of the rounds, the pass only tries an order.

func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %s = dycl.constant #dycl.set<"set", ["a", "b"]>
  // expected-error@+1 {{the order of a set's items is not known}}
  dycl.for %k in %s {
    %l = dycl.tuple(%k)
  }
  dycl.return %x
}
