// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A subscript with a constant index, from either end, and unpacking.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.subscript
// CHECK-NOT:     dycl.unpack
// CHECK:         dycl.call %f(%x, %y, %x, %y)
func.func @forward(%x: !dycl.value, %y: !dycl.value, %f: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64

  %minus = dycl.constant -1 : i64
  %t = dycl.tuple(%x, %y)
  %a = dycl.subscript %t[%zero]
  %b = dycl.subscript %t[%minus]
  %c, %d = dycl.unpack %t -> 2
  dycl.call %f(%a, %b, %c, %d)
  dycl.return %x
}
