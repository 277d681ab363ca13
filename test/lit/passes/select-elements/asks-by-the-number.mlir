// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// What holds for the first elements only is a comparison of the number.

// CHECK:         %[[K:.*]] = dycl.position %i in 3 : i64
// CHECK:         %[[TWO:.*]] = dycl.constant 2 : i64
// CHECK:         %is = dycl.compare lt %[[K]], %[[TWO]]
// CHECK:         dycl.if %is
// CHECK:         %{{.*}} = dycl.compare lt %[[K]]
// CHECK:         %not = dycl.unary not
// CHECK:         dycl.if %not
// CHECK-NOT:     dycl.switch
func.func @forward(%i: !torch.int, %x: !dycl.value) attributes {dycl.entry} {
  %sides = dycl.constant #dycl.tuple<[16, 24, 32]>
  %limit = dycl.constant 32 : i64
  %side = dycl.subscript %sides[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %is = dycl.compare ne %side, %limit
  dycl.if %is {
    dycl.setattr %x "a", %x
  }
  %not = dycl.compare eq %side, %limit
  dycl.if %not {
    dycl.setattr %x "b", %x
  }
  dycl.return %x
}
