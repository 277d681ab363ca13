// RUN: dycl-opt --dycl-check-host --split-input-file --verify-diagnostics %s

// The buffers of a launch are those of its kernel, in the host's types.

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{it launches @k, which is not in this module}}
  host.launch @k ins(%x : memref<2xf32>) outs()
  dycl.return
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{kernel @k takes (memref<2xi64>), but its launch has (memref<2xf32>)}}
  host.launch @k ins(%x : memref<2xf32>) outs()
  dycl.return
}
func.func @k(%x: !torch.vtensor<[2],si64>) attributes {dycl.kernel} {
  func.return
}

// -----

// What is made of a weight is made once.
host.func @forward(%x: memref<2xf32>) params ["x"] {
  %y = host.alloc : memref<2xf32>
  // expected-error@below {{kernel @k takes a parameter of the model for `x`, by its mark `dycl.weight`, but its launch passes something else: take the mark away}}
  host.launch @k ins(%x : memref<2xf32>) outs(%y : memref<2xf32>)
  dycl.return %y : (memref<2xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32> {dycl.weight}) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  func.return %x : !torch.vtensor<[2],f32>
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  dycl.return
}
// expected-error@below {{kernel @k has `dycl.blocked = array<i64: 1, 16>` for !torch.vtensor<[2],f32>: it must be array<i64: dimension, size>}}
func.func @k(%x: !torch.vtensor<[2],f32> {dycl.blocked = array<i64: 1, 16>}) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  func.return %x : !torch.vtensor<[2],f32>
}
