// RUN: dycl-opt --dycl-check-hcfg --split-input-file --verify-diagnostics %s

// A kernel is public and straight-line: torch-mlir sees nothing else.

func.func @forward() attributes {dycl.entry} {
  dycl.return
}
func.func @k(%c: !torch.bool) attributes {dycl.kernel} {
  // expected-error@below {{kernel @k has a branch, `dycl.if`}}
  dycl.if %c : !torch.bool {
  }
  func.return
}

// -----

func.func @forward() attributes {dycl.entry} {
  dycl.return
}
// expected-error@below {{kernel @k is not public, so torch-mlir drops it}}
func.func private @k() attributes {dycl.kernel} {
  func.return
}
