// REQUIRES: torch
// RUN: dycl-opt --dycl-return-inputs %s | filecheck %s

// What no path writes to, and an input whose memory a method takes another view of: the
// caller's other views of it would not see that.

// CHECK-NOT:  dycl.state
// CHECK:      dycl.return %y
func.func @forward(%x: !torch.vtensor<[2,2],f32>, %w: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x", "w"]} {
  %t = dycl.invoke %x "t_"() : (!torch.vtensor<[2,2],f32>) -> !torch.vtensor<[2,2],f32>
  %y = dycl.invoke %w "exp"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %z = dycl.invoke %y "relu_"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
