// RUN: dycl-opt --dycl-check-host --split-input-file --verify-diagnostics %s

// The forgotten pass is named.

// expected-error@below {{`@forward` is not lowered to the host dialect: run dycl-lower-host}}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{printing the host needs every branch outlined, and `test.op` is not in a kernel: run dycl-outline-branches}}
  "test.op"(%x) : (memref<2xf32>) -> ()
  dycl.return %x : (memref<2xf32>) -> ()
}

// -----

// expected-error {{there must be one host.func; this module has 0}}
func.func @k() attributes {dycl.kernel} {
  func.return
}
