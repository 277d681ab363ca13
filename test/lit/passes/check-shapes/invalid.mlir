// REQUIRES: torch
// RUN: dycl-opt --dycl-check-shapes --split-input-file --verify-diagnostics %s

// Memory is read and written by the shapes that are written, so they must be true.

func.func @k(%x: !torch.vtensor<[2,3],f32>, %w: !torch.vtensor<[3,4],f32>) -> !torch.vtensor<[2,5],f32> attributes {dycl.kernel} {
  // expected-error@+1 {{torch.aten.mm gives f32 [2,4] here, not the f32 [2,5] that is written}}
  %y = torch.aten.mm %x, %w : !torch.vtensor<[2,3],f32>, !torch.vtensor<[3,4],f32> -> !torch.vtensor<[2,5],f32>
  func.return %y : !torch.vtensor<[2,5],f32>
}

// -----

func.func @k(%x: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],si64> attributes {dycl.kernel} {
  // expected-error@+1 {{torch.aten.relu gives f32 [2,3] here, not the si64 [2,3] that is written}}
  %y = torch.aten.relu %x : !torch.vtensor<[2,3],f32> -> !torch.vtensor<[2,3],si64>
  func.return %y : !torch.vtensor<[2,3],si64>
}

// -----

func.func @k(%x: !torch.vtensor<[2,3],f32>, %w: !torch.vtensor<[2,4],f32>) -> !torch.vtensor<[2,4],f32> attributes {dycl.kernel} {
  // expected-error@+1 {{torch.aten.mm does not take this: a and b must have same reduction dim}}
  %y = torch.aten.mm %x, %w : !torch.vtensor<[2,3],f32>, !torch.vtensor<[2,4],f32> -> !torch.vtensor<[2,4],f32>
  func.return %y : !torch.vtensor<[2,4],f32>
}

// -----

func.func @k(%x: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32> attributes {dycl.kernel} {
  %int7 = torch.constant.int 7
  %none = torch.constant.none
  // expected-error@+1 {{torch.aten.softmax.int does not take this: there is no dimension 7 among 2}}
  %y = torch.aten.softmax.int %x, %int7, %none : !torch.vtensor<[2,3],f32>, !torch.int, !torch.none -> !torch.vtensor<[2,3],f32>
  func.return %y : !torch.vtensor<[2,3],f32>
}
