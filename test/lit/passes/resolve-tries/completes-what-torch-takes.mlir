// REQUIRES: torch
// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// torch takes the operands, whatever the data: the handler is never run. Of which class
// a tensor is has been asked where the answer has a type.

// CHECK-LABEL: func.func @forward
// CHECK:         %relu = dycl.constant #dycl.global<"torch.relu">
// CHECK:         %y = dycl.call %relu(%x)
// CHECK-NOT:     dycl.try
// CHECK:         dycl.return %y
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %relu = dycl.constant #dycl.global<"torch.relu">
  %isinstance = dycl.constant #dycl.global<"builtins.isinstance">
  %proxy = dycl.constant #dycl.global<"torch.fx.proxy.Proxy">
  %r = dycl.try -> (!dycl.value) {
    %y = dycl.call %relu(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    %is = dycl.call %isinstance(%x, %proxy) : (!dycl.value, !torch.vtensor<[2],f32>, !dycl.value) -> !torch.bool
    dycl.yield %y : (!torch.vtensor<[2],f32>) -> ()
  } except "ValueError" {
    dycl.yield %x : (!torch.vtensor<[2],f32>) -> ()
  }
  dycl.return %r
}
