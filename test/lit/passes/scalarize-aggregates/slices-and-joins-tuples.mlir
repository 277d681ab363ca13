// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A slice is a tuple of some items, a sum one of all.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.binary
// CHECK:         [[U:%.*]] = dycl.tuple(%y, %y, %x, %y, %y)
// CHECK-NEXT:    dycl.return [[U]]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64

  %none = dycl.constant #dycl.none
  %t = dycl.tuple(%x, %y, %y)
  %s = dycl.slice(%one, %none, %none)
  %rest = dycl.subscript %t[%s]
  %u = dycl.binary add %rest, %t
  dycl.return %u
}
