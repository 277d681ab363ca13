// RUN: dycl-opt -p normalise --verify-diagnostics %s

// In place: which tensor is which would count.

func.func @forward(%x: !torch.vtensor<[3],f32>) attributes {dycl.entry} {
  %s = dycl.constant #dycl.set<"set", ["a", "b"]>
  // expected-error@+1 {{the order of a set's items is not known}}
  dycl.for %k in %s {
    %f = dycl.constant #dycl.global<"torch.relu_">
    %y = dycl.call %f(%x) : (!dycl.value, !torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
  }
  dycl.return %x : (!torch.vtensor<[3],f32>) -> ()
}
