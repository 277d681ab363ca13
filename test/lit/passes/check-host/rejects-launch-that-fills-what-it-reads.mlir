// RUN: dycl-opt --dycl-check-host --split-input-file --verify-diagnostics %s

// A launch fills buffers of its own, each once, and reads none of them.

host.func @forward(%x: memref<2xf32>) params ["x"] {
  // expected-error@below {{it fills `%x`, which is not from a host.alloc}}
  host.launch @k ins(%x : memref<2xf32>) outs(%x : memref<2xf32>)
  dycl.return %x : (memref<2xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  func.return %x : !torch.vtensor<[2],f32>
}

// -----

host.func @forward() params [] {
  %a = host.alloc : memref<2xf32>
  %v = host.view %a : memref<2xf32> -> memref<2xf32>
  // expected-error@below {{it reads `%v`, which it also fills}}
  host.launch @k ins(%v : memref<2xf32>) outs(%a : memref<2xf32>)
  dycl.return %a : (memref<2xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  func.return %x : !torch.vtensor<[2],f32>
}

// -----

host.func @forward(%x: memref<2xf32>) params ["x"] {
  %a = host.alloc : memref<2xf32>
  // expected-error@below {{it fills `%a` twice}}
  host.launch @k ins(%x : memref<2xf32>) outs(%a, %a : memref<2xf32>, memref<2xf32>)
  dycl.return %a : (memref<2xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  func.return %x, %x : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>
}

// -----

// Without a host.keep the next iteration reads what it fills.
host.func @forward(%x: memref<2xf32>, %p: i1) params ["x", "p"] {
  %y = dycl.while carry(%i : memref<2xf32> = %x : memref<2xf32>) {
    dycl.condition %p, %i : (i1, memref<2xf32>) -> ()
  } do(%j) {
    %a = host.alloc : memref<2xf32>
    // expected-error@below {{it reads `%j`, which may be `%a`, which it also fills: a loop passes tensors on by host.keep}}
    host.launch @k ins(%j : memref<2xf32>) outs(%a : memref<2xf32>)
    dycl.yield %a : (memref<2xf32>) -> ()
  }
  dycl.return %y : (memref<2xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  func.return %x : !torch.vtensor<[2],f32>
}
