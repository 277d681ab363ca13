// REQUIRES: torch
// RUN: dycl-opt --dycl-follow-writes --verify-diagnostics %s | filecheck %s

// The caller would see it: `dycl-expand-modules` refuses that.

// CHECK:      %a = dycl.invoke %x "relu_"()
// CHECK-NEXT: dycl.return %a
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  // expected-remark @+1 {{not followed: this changes a tensor that is an input of the network}}
  %a = dycl.invoke %x "relu_"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}
