// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-follow-writes --dycl-expand-modules %s | filecheck %s

// What cannot be expanded is a `dycl.unsupported` of the same type, so that the ops after
// it are expanded all the same. A write to a part of what is used is no such thing: it is
// a store into the whole.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = dycl.unsupported "DY307" "this changes a tensor that is an input of the network" {{.*}} -> !torch.vtensor<[2],f32>
// CHECK:         %v = torch.aten.slice.Tensor %y
// CHECK:         %b = torch.aten.add.Scalar
// CHECK-NEXT:    %y_1 = torch.aten.slice_scatter %y, %b,
// CHECK:         %c = dycl.unsupported "DY306" "torch op aten.rand draws random numbers"
// CHECK:         %d = torch.aten.add.Tensor %y_1, %c
// CHECK:         %e = dycl.unsupported "DY301" "the truth value of a tensor with 2 elements is ambiguous"
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %two = dycl.constant 2 : i64
  %none = dycl.constant #dycl.none
  %a = dycl.inplace add %x, %one : (!torch.vtensor<[2],f32>, !dycl.value) -> !dycl.value
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[2],f32>) -> !dycl.value
  %s = dycl.slice(%one, %none, %none)
  %v = dycl.subscript %y[%s]
  %b = dycl.inplace add %v, %one
  %rand = dycl.constant #dycl.global<"torch.rand">
  %c = dycl.call %rand(%two)
  %d = dycl.binary add %y, %c
  %e = dycl.to_bool %y
  %t = dycl.tuple(%a, %b, %d, %e)
  dycl.return %t
}
