// RUN: dycl-opt --dycl-roll-loops=max-unrolled=2 --verify-diagnostics %s | filecheck %s

// What differs from item to item in more than a number, a range of data, no step.

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-3: dycl.for
// CHECK-NOT:     dycl.while
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %items = dycl.constant ["a", "b", "c"]
  // expected-remark@+1 {{its items may differ in more than a number}}
  dycl.for %i in %items {
    dycl.setattr %i "seen", %x
  }
  %range = dycl.constant #dycl.global<"builtins.range">
  %data = dycl.call %range(%x)
  dycl.for %i in %data {
    dycl.setattr %i "seen", %x
  }
  %seven = dycl.constant 7 : i64
  %zero = dycl.constant 0 : i64
  %none = dycl.call %range(%zero, %seven, %zero)
  dycl.for %i in %none {
    dycl.setattr %i "seen", %x
  }
  dycl.return %x
}
