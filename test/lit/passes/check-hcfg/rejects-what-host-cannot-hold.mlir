// RUN: dycl-opt --dycl-check-hcfg --split-input-file --verify-diagnostics %s

// Values of the host are tensors of static shape and known dtype, or scalars.

// expected-error@below {{the host cannot take a float32 tensor of shape (any size, 3)}}
func.func @forward(%x: !torch.vtensor<[?,3],f32>) attributes {dycl.entry} {
  dycl.return %x : (!torch.vtensor<[?,3],f32>) -> ()
}

// -----

func.func @forward() attributes {dycl.entry} {
  // expected-error@below {{the host cannot hold a Python value}}
  %x = dycl.constant 1 : i64
  dycl.return %x
}

// -----

func.func @forward(%x: !torch.int) attributes {dycl.entry} {
  // expected-error@below {{`dycl.list` has no form on the host}}
  %l = dycl.list(%x) : (!torch.int) -> !dycl.value
  dycl.return %x : (!torch.int) -> ()
}
