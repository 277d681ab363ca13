// RUN: dycl-opt --dycl-embed-literals="max-elements=1" --verify-diagnostics %s | filecheck %s

// A large literal would stand in the code of each kernel.

// CHECK: dycl.launch @k(%x, %a)
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  // expected-remark @+1 {{not embedded: it has more than 1 elements}}
  %a = torch.vtensor.literal(dense<[1.0, 2.0]> : tensor<2xf32>) : !torch.vtensor<[2],f32>
  %y = dycl.launch @k(%x, %a) : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%p: !torch.vtensor<[2],f32>, %r: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %s = torch.aten.mul.Tensor %p, %r : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %s : !torch.vtensor<[2],f32>
}
