// REQUIRES: torch
// RUN: dycl-opt --dycl-resolve-tries --verify-diagnostics %s | filecheck %s

// A matrix that has no factor raises in the run, though the shape of the result is
// known, and so the rows that a loop would go over.

// CHECK:      %r = dycl.try
// CHECK-NEXT:   dycl.call %cholesky(%x)
func.func @forward(%x: !torch.vtensor<[3,3],f32>) attributes {dycl.entry} {
  %cholesky = dycl.constant #dycl.global<"torch._C._linalg.linalg_cholesky">
  // expected-remark@+1 {{dycl.call may raise}}
  %r = dycl.try -> (!dycl.value) {
    %y = dycl.call %cholesky(%x) : (!dycl.value, !torch.vtensor<[3,3],f32>) -> !torch.vtensor<[3,3],f32>
    dycl.yield %y : (!torch.vtensor<[3,3],f32>) -> ()
  } except "RuntimeError" {
    dycl.yield %x : (!torch.vtensor<[3,3],f32>) -> ()
  }
  dycl.return %r
}
