// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A member of an `IntEnum` and its number are one key: the first stays, the last value
// counts.

dycl.object @low "net.Level" {__data__ = 1 : i64, __eq__ = true}

// CHECK-LABEL: func.func @forward
// CHECK:         %low = dycl.constant @low
// CHECK:         [[HAS:%.*]] = dycl.constant true
// CHECK-NEXT:    [[KEYS:%.*]] = dycl.tuple(%low)
// CHECK-NEXT:    dycl.tuple(%y, %y, [[HAS]], [[KEYS]])
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %low = dycl.constant @low
  %one = dycl.constant 1 : i64
  %d = dycl.dict(%low, %x)
  dycl.store_subscript %d[%one], %y
  %v = dycl.subscript %d[%one]
  %w = dycl.invoke %d "get"(%low)
  %has = dycl.compare in %one, %d
  %keys = dycl.invoke %d "keys"()
  %r = dycl.tuple(%v, %w, %has, %keys)
  dycl.return %r
}
