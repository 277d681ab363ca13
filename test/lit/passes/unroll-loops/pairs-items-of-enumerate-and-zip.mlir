// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// `for i, (a, b) in enumerate(zip(v, w))`: items are tuples of values, to any depth.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.for
// CHECK:         dycl.constant 1 : i64
// CHECK:         dycl.constant "p"
// CHECK-NEXT:    [[PAIR:%.*]] = dycl.tuple(%x, {{%.*}})
// CHECK-NEXT:    [[ITEM:%.*]] = dycl.tuple({{%.*}}, [[PAIR]])
// CHECK-NEXT:    dycl.call %x([[ITEM]])
// CHECK:         dycl.constant 2 : i64
// CHECK:         dycl.constant "q"
// CHECK-NOT:     "unused"
// CHECK:         dycl.return
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %enumerate = dycl.constant #dycl.global<"builtins.enumerate">
  %zip = dycl.constant #dycl.global<"builtins.zip">
  %v = dycl.tuple(%x, %x)
  %w = dycl.constant ["p", "q", "unused"]
  %pairs = dycl.call %zip(%v, %w)
  %one = dycl.constant 1 : i64
  %items = dycl.call %enumerate(%pairs, start = %one)
  dycl.for %i in %items {
    dycl.call %x(%i)
  }
  dycl.return %x
}
