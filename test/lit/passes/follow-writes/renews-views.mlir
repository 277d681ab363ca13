// REQUIRES: torch
// RUN: dycl-opt --dycl-follow-writes %s | filecheck %s
// RUN: dycl-opt --dycl-follow-writes %s > %t.once
// RUN: dycl-opt --dycl-follow-writes --dycl-follow-writes %s | diff %t.once -

// In a branch as elsewhere, a write through a view is a store into the whole.

// CHECK:         %r = dycl.if %p
// CHECK:           %[[V:.*]] = dycl.subscript %y[%i]
// CHECK:           dycl.update_subscript %y[%i]
// CHECK:         dycl.return %r
func.func @forward(%x: !torch.vtensor<[2,3],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %i = dycl.constant 0 : i64
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32>
  %r = dycl.if %p : !torch.bool -> (!torch.vtensor<[2,3],f32>) {
    %v = dycl.subscript %y[%i] : (!torch.vtensor<[2,3],f32>, !dycl.value) -> !torch.vtensor<[3],f32>
    %w = dycl.invoke %v "relu_"() : (!torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
    dycl.yield %y : (!torch.vtensor<[2,3],f32>) -> ()
  } else {
    dycl.yield %x : (!torch.vtensor<[2,3],f32>) -> ()
  }
  dycl.return %r : (!torch.vtensor<[2,3],f32>) -> ()
}
