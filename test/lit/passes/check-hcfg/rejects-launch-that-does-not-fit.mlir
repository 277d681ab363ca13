// RUN: dycl-opt --dycl-check-hcfg --split-input-file --verify-diagnostics %s

// A launch names a kernel of the module and has its types.

func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  // expected-error@below {{it launches @k, which is not in this module}}
  %y = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}

// -----

func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  // expected-error@below {{kernel @k gives (!torch.vtensor<[3],f32>), but its launch has (!torch.vtensor<[2],f32>)}}
  %y = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[3],f32> attributes {dycl.kernel} {
  %y = "test.op"(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[3],f32>
  func.return %y : !torch.vtensor<[3],f32>
}
