// RUN: dycl-opt --dycl-check-hcfg --verify-diagnostics %s

func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}

// expected-error@below {{kernel @k: `dycl.backend` is 3 : i64, but it must be a name in quotes}}
func.func @k(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.backend = 3 : i64, dycl.kernel} {
  func.return %a : !torch.vtensor<[2],f32>
}
