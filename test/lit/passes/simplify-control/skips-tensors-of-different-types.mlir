// RUN: dycl-opt --dycl-simplify-control --verify-diagnostics %s | filecheck %s

// One select has one type.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %p
func.func @forward(%x: !torch.vtensor<[2],f32>, %y: !torch.vtensor<[3],f32>) attributes {dycl.entry} {
  %p = dycl.to_bool %x : (!torch.vtensor<[2],f32>) -> !torch.bool
  // expected-remark @+1 {{no choice of a value: the sides give different types}}
  %r = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %x : (!torch.vtensor<[2],f32>) -> ()
  } else {
    dycl.yield %y : (!torch.vtensor<[3],f32>) -> ()
  }
  dycl.return %r
}
