// REQUIRES: torch
// RUN: dycl-opt --dycl-follow-writes %s | filecheck %s

// A store becomes an op that gives the new tensor, and from each write on all names of
// the tensor mean what it gave.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.invoke %x "exp"()
// CHECK-NEXT:    %y_1 = dycl.update_subscript %y[%i], %v
// CHECK-NEXT:    %r = dycl.invoke %y_1 "relu_"()
// CHECK-NEXT:    dycl.return %r
func.func @forward(%x: !torch.vtensor<[2],f32>, %v: !torch.vtensor<[],f32>) attributes {dycl.entry} {
  %i = dycl.constant 0 : i64
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.store_subscript %y[%i], %v : (!torch.vtensor<[2],f32>, !dycl.value, !torch.vtensor<[],f32>) -> ()
  %r = dycl.invoke %y "relu_"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
