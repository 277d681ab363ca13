// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// Sides that leave a list with as many items join it item by item.

// CHECK-LABEL: func.func @forward
// CHECK:         [[I:%.*]] = dycl.if %p -> (!dycl.value) {
// CHECK-NEXT:      dycl.yield %y
// CHECK-NEXT:    } else {
// CHECK-NEXT:      dycl.yield %x
// CHECK-NEXT:    }
// CHECK-NEXT:    [[L:%.*]] = dycl.list(%x, [[I]])
// CHECK-NEXT:    dycl.return [[L]]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64

  %l = dycl.list(%x, %x)
  %p = dycl.to_bool %x
  dycl.if %p {
    dycl.store_subscript %l[%one], %y
    dycl.yield
  }
  dycl.return %l
}
