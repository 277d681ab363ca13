// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// Two ints have a type in common, however different they are; two tuples of ints too.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.yield %one, %pair
// CHECK-NEXT:  } else {
// CHECK-NEXT:    dycl.yield %two, %other
// CHECK-NEXT:  }
// CHECK-NEXT:  %y = dycl.tuple(%h, %t)
// CHECK-NEXT:  dycl.return %y
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %two = dycl.constant 2 : i64
  %pair = dycl.tuple(%one, %two)
  %other = dycl.tuple(%two, %one)
  %h, %t = dycl.if %p : !torch.bool -> (!dycl.value, !dycl.value) {
    dycl.yield %one, %pair
  } else {
    dycl.yield %two, %other
  }
  %y = dycl.tuple(%h, %t)
  dycl.return %y
}
