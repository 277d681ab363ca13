// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-follow-writes --dycl-expand-modules --dycl-eliminate-dead-code %s | filecheck %s

// A store into a tensor that nobody else sees gives a new tensor; behind the `if` whose
// one side stores, the name means what the `if` gives.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = torch.aten.exp %x
// CHECK-NEXT:    %y_1 = dycl.if %p
// CHECK:           %y_2 = torch.aten.select_scatter %y,
// CHECK-NEXT:      dycl.yield %y_2
// CHECK:         } else {
// CHECK-NEXT:      dycl.yield %y :
// CHECK:         torch.aten.add.Scalar
// CHECK:         %y_3 = torch.aten.select_scatter %y_1,
// CHECK-NEXT:    dycl.return %y_3
func.func @forward(%x: !torch.vtensor<[1,2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[1,2],f32>) -> !dycl.value
  dycl.if %p : !torch.bool {
    %row = dycl.subscript %y[%zero]
    dycl.store_subscript %row[%one], %zero
  }
  %i = dycl.tuple(%zero, %zero)
  %item = dycl.subscript %y[%i]
  %more = dycl.inplace add %item, %one
  dycl.store_subscript %y[%i], %more
  dycl.return %y
}
