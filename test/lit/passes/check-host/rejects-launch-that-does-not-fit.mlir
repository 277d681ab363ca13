// RUN: dycl-opt --dycl-check-host --split-input-file --verify-diagnostics %s

// The buffers of a launch are those of its kernel, in the host's types.

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{it launches @k, which is not in this module}}
  host.launch @k ins(%x : memref<2xf32>) outs()
  host.return
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{kernel @k takes (memref<2xi64>), but its launch has (memref<2xf32>)}}
  host.launch @k ins(%x : memref<2xf32>) outs()
  host.return
}
func.func @k(%x: !torch.vtensor<[2],si64>) attributes {dycl.kernel} {
  func.return
}
