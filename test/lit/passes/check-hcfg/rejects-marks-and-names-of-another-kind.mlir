// RUN: dycl-opt --dycl-check-hcfg --verify-diagnostics --split-input-file %s

// expected-error@below {{`dycl.params` has 2 names for 1 arguments}}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x", "y"]} {
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}

// -----

// expected-error@below {{`dycl.entry` is a mark: write it without = "x"}}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry = "x"} {
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}

// -----

func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}

// expected-error@below {{`dycl.kernel` is a mark: write it without = false}}
func.func @k(%a: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel = false} {
  func.return %a : !torch.vtensor<[2],f32>
}
