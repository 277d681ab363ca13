// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s
// REQUIRES: torch

// Functions that hold values are never one: each path calls its own.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p : !torch.bool {
// CHECK-NEXT:      %f = dycl.call %partial(%add, %x)
// CHECK-NEXT:      %y = dycl.call %f(%x)
// CHECK-NEXT:      dycl.return %y
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %g = dycl.call %partial(%add, %k)
// CHECK-NEXT:      %y_1 = dycl.call %g(%x)
// CHECK-NEXT:      dycl.return %y_1
func.func @forward(%x: !torch.vtensor<[4],f32>, %k: !torch.vtensor<[4],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %partial = dycl.constant #dycl.global<"functools.partial">
  %add = dycl.constant #dycl.global<"torch.add">
  %h = dycl.if %p : !torch.bool -> (!dycl.value) {
    %f = dycl.call %partial(%add, %x) : (!dycl.value, !dycl.value, !torch.vtensor<[4],f32>) -> !dycl.value
    dycl.yield %f
  } else {
    %g = dycl.call %partial(%add, %k) : (!dycl.value, !dycl.value, !torch.vtensor<[4],f32>) -> !dycl.value
    dycl.yield %g
  }
  %y = dycl.call %h(%x) : (!dycl.value, !torch.vtensor<[4],f32>) -> !dycl.value
  dycl.return %y
}
