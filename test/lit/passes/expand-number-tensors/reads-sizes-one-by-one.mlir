// REQUIRES: torch
// RUN: dycl-opt --dycl-expand-number-tensors %s | filecheck %s

// `torch.tensor(x.shape)`: of a size of the run each number is read.

// CHECK:      %[[FIRST:.*]] = dycl.subscript %s[%{{.*}}]
// CHECK:      dycl.binary mul %{{.*}}, %[[FIRST]]
// CHECK:      %[[ALL:.*]] = dycl.tuple(%{{.*}}, %{{.*}})
// CHECK-NEXT: %y = dycl.call %{{.*}}(%[[ALL]])
// CHECK-NEXT: dycl.return %y
func.func @forward(%x: !torch.vtensor<[?,8],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.sizes = [#dycl.size<"n", 0 to 16, "x" 0>]} {
  %tensor = dycl.constant #dycl.global<"torch.tensor">
  %s = dycl.getattr %x "shape" : (!torch.vtensor<[?,8],f32>) -> !dycl.value
  %y = dycl.call %tensor(%s)
  dycl.return %y
}
