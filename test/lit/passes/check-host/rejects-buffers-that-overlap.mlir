// RUN: dycl-opt --dycl-check-host --split-input-file --verify-diagnostics %s

// Buffers in use at the same time have memory of their own.

host.func @forward(%x: memref<2xf32>) params ["x"] attributes {arena = 128 : i64} {
  %a = host.alloc {offset = 0 : i64} : memref<2xf32>
  host.launch @k ins(%x : memref<2xf32>) outs(%a : memref<2xf32>)
  // expected-error@below {{this is in bytes 0 to 64 of the arena, and `%a`, which is in use at the same time, is in bytes 0 to 64 of the arena: run dycl-plan-memory}}
  %b = host.alloc {offset = 0 : i64} : memref<2xf32>
  host.launch @k ins(%a : memref<2xf32>) outs(%b : memref<2xf32>)
  dycl.return %b : (memref<2xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}

// -----

// One side or the other is needed: they may share.
host.func @forward(%x: memref<2xf32>, %p: i1) params ["x", "p"] attributes {arena = 64 : i64} {
  dycl.if %p : i1 {
    %a = host.alloc {offset = 0 : i64} : memref<2xf32>
    host.launch @k ins(%x : memref<2xf32>) outs(%a : memref<2xf32>)
    dycl.return %a : (memref<2xf32>) -> ()
  }
  %b = host.alloc {offset = 0 : i64} : memref<2xf32>
  host.launch @k ins(%x : memref<2xf32>) outs(%b : memref<2xf32>)
  dycl.return %b : (memref<2xf32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32> attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %y : !torch.vtensor<[2],f32>
}

// -----

// expected-error@below {{the arena has 64 bytes, but buffers take 128 of it}}
host.func @forward() params [] attributes {arena = 64 : i64} {
  %a = host.alloc {offset = 64 : i64} : memref<2xf32>
  dycl.return
}

// -----

host.func @forward() params [] attributes {arena = 64 : i64} {
  // expected-error@below {{`offset` is 4 : i64, but it must be a multiple of 64, not below zero}}
  %a = host.alloc {offset = 4 : i64} : memref<2xf32>
  dycl.return
}

// -----

host.func @forward() params [] attributes {arena = 64 : i64} {
  // expected-error@below {{`offset` is "0", but it must be an integer}}
  %a = host.alloc {offset = "0"} : memref<2xf32>
  dycl.return
}

// -----

// expected-error@below {{buffers have an `offset`, but there is no `arena`}}
host.func @forward() params [] {
  %a = host.alloc {offset = 0 : i64} : memref<2xf32>
  dycl.return
}
