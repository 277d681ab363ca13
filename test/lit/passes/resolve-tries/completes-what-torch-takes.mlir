// REQUIRES: torch
// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// torch takes the operands, whatever the data: the handler is never run.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %relu = dycl.constant #dycl.global<"torch.relu">
// CHECK-NEXT:    %y = dycl.call %relu(%x)
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %relu = dycl.constant #dycl.global<"torch.relu">
  %r = dycl.try -> (!dycl.value) {
    %y = dycl.call %relu(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    dycl.yield %y : (!torch.vtensor<[2],f32>) -> ()
  } except "ValueError" {
    dycl.yield %x : (!torch.vtensor<[2],f32>) -> ()
  }
  dycl.return %r
}
