// RUN: dycl-opt --dycl-lower-host --split-input-file --verify-diagnostics %s

// What has no form on the host is named, with the pass that was forgotten.

func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  // expected-error@below {{`torch.aten.relu` has no form on the host}}
  %y = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}

// -----

// expected-error@below {{the host cannot take a float32 tensor of shape (any size,)}}
func.func @forward(%x: !torch.vtensor<[?],f32>) attributes {dycl.entry} {
  dycl.return %x : (!torch.vtensor<[?],f32>) -> ()
}

// -----

func.func @forward() attributes {dycl.entry, dycl.params = []} {
  // expected-error@+1 {{the host cannot hold the constant #dycl.param<"w", [1 : i64], f32>}}
  %c = dycl.constant #dycl.param<"w", [1], f32> -> !torch.vtensor<[1],f32>
  dycl.return %c : (!torch.vtensor<[1],f32>) -> ()
}
