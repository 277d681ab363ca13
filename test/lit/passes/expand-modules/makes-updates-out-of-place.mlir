// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-follow-writes --dycl-expand-modules --dycl-eliminate-dead-code %s | filecheck %s

// An update in place of a tensor that is not used afterwards gives a new tensor; in the
// same block all names of the old one mean the new one.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = torch.aten.exp %x
// CHECK-NEXT:    %r = torch.aten.relu %y
// CHECK:         %z = torch.aten.add.Scalar %r,
// CHECK:         %j = dycl.if %{{.*}} {
// CHECK:           %w = torch.aten.mul.Tensor %z, %z
// CHECK-NEXT:      dycl.yield %w
// CHECK:         dycl.return %j
func.func @forward(%x: !torch.vtensor<[1],f32>) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[1],f32>) -> !dycl.value
  %r = dycl.invoke %y "relu_"()
  %z = dycl.inplace add %y, %one
  %p = dycl.to_bool %y
  %j = dycl.if %p -> (!dycl.value) {
    %w = dycl.inplace mul %z, %y
    dycl.yield %w
  } else {
    dycl.yield %z
  }
  dycl.return %j
}
