// RUN: dycl-opt --split-input-file --verify-diagnostics %s

// An operation has as many operands and results as torch-mlir says.

func.func @operands(%x: !torch.vtensor<[2],f32>) {
  // expected-error@+1 {{torch.aten.add.Tensor has 3 operands, not 1}}
  %y = torch.aten.add.Tensor %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  return
}

// -----

func.func @results(%x: !torch.vtensor<[2],f32>) {
  // expected-error@+1 {{torch.aten.relu has 1 result, not 0}}
  torch.aten.relu %x : !torch.vtensor<[2],f32>
  return
}
