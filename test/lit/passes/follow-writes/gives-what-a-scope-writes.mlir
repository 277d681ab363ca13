// REQUIRES: torch
// RUN: dycl-opt --dycl-follow-writes %s | filecheck %s
// RUN: dycl-opt --dycl-follow-writes %s > %t.once
// RUN: dycl-opt --dycl-follow-writes --dycl-follow-writes %s | diff %t.once -

// A loop with a `break`, unrolled: each exit gives what the tensor has become there.

// CHECK:         %y_1 = dycl.scope "loop" -> (!torch.vtensor<[2,3],f32>)
// CHECK-NEXT:      %y_2 = dycl.update_subscript %y[%i], %i
// CHECK-NEXT:      dycl.if %p : !torch.bool {
// CHECK-NEXT:        dycl.leave "loop" %y_2
// CHECK:           %y_3 = dycl.update_subscript %y_2[%j], %i
// CHECK-NEXT:      dycl.leave "loop" %y_3
// CHECK:         dycl.return %y_1
func.func @forward(%x: !torch.vtensor<[2,3],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %i = dycl.constant 0 : i64
  %j = dycl.constant 1 : i64
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32>
  dycl.scope "loop" {
    dycl.store_subscript %y[%i], %i : (!torch.vtensor<[2,3],f32>, !dycl.value, !dycl.value) -> ()
    dycl.if %p : !torch.bool {
      dycl.leave "loop"
    }
    dycl.store_subscript %y[%j], %i : (!torch.vtensor<[2,3],f32>, !dycl.value, !dycl.value) -> ()
    dycl.leave "loop"
  }
  dycl.return %y : (!torch.vtensor<[2,3],f32>) -> ()
}
