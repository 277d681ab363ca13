// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-follow-writes --dycl-expand-modules %s | filecheck %s

// What a select or an `if` gives may be the tensor it was given: updating it in place
// would change that one too.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = dycl.unsupported "DY307" "this changes a tensor that is an input of the network"
// CHECK:         %b = dycl.unsupported "DY307" "this changes a tensor that is used afterwards"
func.func @forward(%x: !torch.vtensor<[1],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[1],f32>) -> !dycl.value
  %z = dycl.invoke %x "cos"() : (!torch.vtensor<[1],f32>) -> !dycl.value
  %s = dycl.select %p, %x, %x : (!torch.bool, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>) -> !torch.vtensor<[1],f32>
  %a = dycl.inplace add %s, %one : (!torch.vtensor<[1],f32>, !dycl.value) -> !dycl.value
  %c = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %y
  } else {
    dycl.yield %z
  }
  %b = dycl.inplace add %c, %one
  %t = dycl.tuple(%a, %b, %z)
  dycl.return %t
}
