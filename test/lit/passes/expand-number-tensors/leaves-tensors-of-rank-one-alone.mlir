// REQUIRES: torch
// RUN: dycl-opt --dycl-expand-number-tensors --verify-diagnostics %s | filecheck %s

// torch refuses such a list, too, when an item has more than one element.

// CHECK:      dycl.call %tensor(%t)
func.func @forward(%n: !torch.int, %x: !torch.vtensor<[2],si64>) attributes {dycl.entry} {
  %tensor = dycl.constant #dycl.global<"torch.tensor">
  %t = dycl.tuple(%n, %x) : (!torch.int, !torch.vtensor<[2],si64>) -> !dycl.value
  // expected-remark @+1 {{not computed from numbers: the shape of the tensor is not known}}
  %y = dycl.call %tensor(%t)
  dycl.return %y
}
